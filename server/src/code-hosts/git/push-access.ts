import type { Egress } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { errorFromStatus, toCodeHostError } from '../code-host-error.ts'

/** Sends the request that git sends before a push. Hosts answer it only if the token may push. */
export async function hasPushAccess({ url, authorization }: GitRemote, egress: Egress): Promise<boolean> {
  const response = await egress
    .fetch(`${url}/info/refs?service=git-receive-pack`, { headers: { authorization: authorization() } })
    .catch((error: unknown) => {
      throw toCodeHostError(error)
    })
  await response.body?.cancel()
  if (response.status === 429 || response.status >= 500) throw errorFromStatus(response, 'the request before a push')
  return response.headers.get('content-type') === 'application/x-git-receive-pack-advertisement'
}
