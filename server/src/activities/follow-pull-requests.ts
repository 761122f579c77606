/** Open, merged, closed: by asking, every few minutes and whenever the code host hints. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CodeHost } from '../code-hosts/code-host.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

/** Undefined: the project has no repository any more. */
export type OpenProjectHost = (projectId: Id<'prj'>) => Promise<CodeHost | undefined>

const lookEveryMs = 1_000
const mostAtOnce = 50

export function followPullRequests({
  pullRequests,
  openHost,
  askAgainSeconds,
  log,
}: {
  pullRequests: PullRequestStore
  openHost: OpenProjectHost
  askAgainSeconds: number
  log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()

  const ask = async (due: DuePullRequest) => {
    const host = await openHost(due.projectId)
    const found = await host?.findPullRequest(due.number)
    if (found) await pullRequests.record(due, found.state)
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        for (const due of await pullRequests.takeDue(askAgainSeconds, mostAtOnce)) {
          await ask(due).catch((error: unknown) =>
            log.warn({ jobId: due.jobId, error: String(error) }, 'could not ask for a pull request'),
          )
        }
      } catch (error) {
        log.warn({ error: String(error) }, 'could not look for due pull requests')
      }
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
