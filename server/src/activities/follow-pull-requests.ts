/** Open, merged, closed: by asking, every few minutes and whenever the code host hints. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PullRequestStore } from '../jobs/pull-request-store.ts'
import type { Log } from '../platform/log.ts'
import type { LookAtPullRequest } from './job-activities.ts'
import type { OpenProject } from './open-project.ts'

/** Never throws: a host that is away leaves us with what we knew. */
export function createLookAtPullRequest({
  pullRequests,
  openProject,
  log,
}: {
  pullRequests: PullRequestStore
  openProject: OpenProject
  log: Log
}): LookAtPullRequest {
  return async (pullRequest) => {
    try {
      const project = await openProject(pullRequest.projectId)
      const found = await project?.host.findPullRequest(pullRequest.number)
      if (found) await pullRequests.record(pullRequest, found.state)
    } catch (error) {
      log.warn({ jobId: pullRequest.jobId, error: String(error) }, 'could not ask for a pull request')
    }
  }
}

const lookEveryMs = 1_000
const mostAtOnce = 50

export function followPullRequests({
  pullRequests,
  look,
  askAgainSeconds,
  log,
}: {
  pullRequests: PullRequestStore
  look: LookAtPullRequest
  askAgainSeconds: number
  log: Log
}): { stop(): Promise<void> } {
  const stopping = new AbortController()

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await Promise.all((await pullRequests.takeDue(askAgainSeconds, mostAtOnce)).map(look))
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
