import type { CodeHost, PullRequest } from '../code-hosts/code-host.ts'

/** The project may be connected to another repository by now, in which this number is somebody else's. */
export async function findOwnPullRequest(
  host: CodeHost,
  { number, url, branch }: { number: number; url: string; branch: string },
): Promise<PullRequest | undefined> {
  const found = await host.findPullRequest(number)
  return found && (found.url === url || found.branch === branch) ? found : undefined
}
