import type { Egress, EgressLimits } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { errorFromStatus } from '../code-host-error.ts'

export const fetchEndpoints = ['GET /info/refs?service=git-upload-pack', 'POST /git-upload-pack'] as const
export const pushEndpoints = ['GET /info/refs?service=git-receive-pack', 'POST /git-receive-pack'] as const
export type GitEndpoint = (typeof fetchEndpoints)[number] | (typeof pushEndpoints)[number]

export interface GitRequest {
  headers: [string, string][]
  body: Uint8Array | ReadableStream<Uint8Array> | null
  signal: AbortSignal
  limits: EgressLimits
}

/** One request of git over HTTP, with the token. Throws a CodeHostError unless the status is 200. Does not follow redirects. */
export async function callGitHost(
  remote: GitRemote,
  egress: Egress,
  call: GitEndpoint,
  { headers, body, signal, limits }: GitRequest,
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
  throw errorFromStatus(response, `git's ${call}`)
}
