import type { CodeHost, PullRequest } from '../code-hosts/code-host.ts'

/** Compares URL and branch: the project may be connected to another repository by now, where this number is a different one. */
export async function findOwnPullRequest(
  host: CodeHost,
  { number, url, branch }: { number: number; url: string; branch: string },
): Promise<PullRequest | undefined> {
  const found = await host.findPullRequest(number)
  return found && (found.url === url || found.branch === branch) ? found : undefined
}
