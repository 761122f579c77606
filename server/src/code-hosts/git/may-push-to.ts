import type { Egress } from '../../platform/egress/egress.ts'
import type { GitRemote } from '../code-host.ts'
import { failureOfCall, failureOfStatus } from '../code-host-error.ts'

/** As git asks before it pushes: hosts answer it to those only who may. */
export async function mayPushTo({ url, authorization }: GitRemote, egress: Egress): Promise<boolean> {
  const response = await egress
    .fetch(`${url}/info/refs?service=git-receive-pack`, { headers: { authorization: authorization() } })
    .catch((error: unknown) => {
      throw failureOfCall(error)
    })
  await response.body?.cancel()
  if (response.status === 429 || response.status >= 500) throw failureOfStatus(response, 'a look at what may be pushed')
  return response.headers.get('content-type') === 'application/x-git-receive-pack-advertisement'
}
