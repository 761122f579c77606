import type { CallLimits, Egress } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { failureOfStatus } from '../code-host-error.ts'

export const readCalls = ['GET /info/refs?service=git-upload-pack', 'POST /git-upload-pack'] as const
export const pushCalls = ['GET /info/refs?service=git-receive-pack', 'POST /git-receive-pack'] as const
export type GitCall = (typeof readCalls)[number] | (typeof pushCalls)[number]

export interface GitCallRequest {
  headers: [string, string][]
  body: Uint8Array | ReadableStream<Uint8Array> | null
  signal: AbortSignal
  limits: CallLimits
}

/** One call of git over HTTP, with the host's token. Throws a CodeHostError unless the host says 200: a redirect is not followed. */
export async function callGitHost(
  remote: GitRemote,
  egress: Egress,
  call: GitCall,
  { headers, body, signal, limits }: GitCallRequest,
): Promise<Response> {
  const [method = '', path = ''] = call.split(' ')
  const response = await egress.fetch(remote.url + path, {
    method,
    headers: [...headers, ['authorization', remote.authorization()]],
    body,
    signal,
    limits,
  })
  if (response.status === 200) return response
  await response.body?.cancel()
  throw failureOfStatus(response, `git's ${call}`)
}
