/** What becomes of pull requests: by asking, every few minutes and whenever the code host hints. */
import { CodeHostError, isCodeHostError } from '../code-hosts/code-host-error.ts'
import type { DuePullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'
import type { Log } from '../platform/log.ts'
import { findOwnPullRequest } from './find-own-pull-request.ts'
import type { LookAtPullRequest } from './job-activities.ts'
import { keepLooking } from './keep-looking.ts'
import type { OpenProject } from './open-project.ts'
import { readChecks } from './read-checks.ts'
import { type CommentDeps, readComments } from './read-comments.ts'

interface LookDeps {
  pullRequests: PullRequestStore
  openProject: OpenProject
  log: Log
}

/** Its state alone. Never throws: a host that is away leaves us with what we knew. */
export function createLookAtPullRequest({ pullRequests, openProject, log }: LookDeps): LookAtPullRequest {
  return async (pullRequest) => {
    try {
      const project = await openProject(pullRequest.projectId)
      const found = project && (await findOwnPullRequest(project.host, pullRequest))
      if (!found) return
      // Hosts close it when its branch is deleted, some a moment later (Gitea, tried): nobody can begin from there.
      const isOver = found.state === 'open' && (await project.host.branchHead(pullRequest.branch)) === undefined
      await pullRequests.record(pullRequest, isOver ? { ...found, state: 'closed' } : found)
    } catch (error) {
      log.warn({ jobId: pullRequest.jobId, error: String(error) }, 'could not ask for a pull request')
    }
  }
}

export function followPullRequests({
  askAgainSeconds,
  ...parts
}: LookDeps & CommentDeps & { askAgainSeconds: number }): { stop(): Promise<void> } {
  const { pullRequests, log } = parts
  return keepLooking<DuePullRequest>({
    what: 'pull requests',
    takeDue: (limit, busy) => pullRequests.takeDue(askAgainSeconds, limit, busy),
    async look(due, signal) {
      try {
        await lookAtAll(parts, due, signal)
      } catch (error) {
        if (isCodeHostError(error, 'rate_limited'))
          await pullRequests.rest(due, error.failure.retryAfterSeconds ?? usualRestSeconds)
        throw error
      }
    },
    log,
  })
}

const usualRestSeconds = 60

/**
 * What fails is asked for again at the next look, and keeps nothing else from being read; but a host that wants to be left
 * alone is.
 */
async function lookAtAll(deps: LookDeps & CommentDeps, due: DuePullRequest, signal: AbortSignal): Promise<void> {
  const { pullRequests, openProject, log } = deps
  const host = (await openProject(due.projectId))?.host
  const found = host && (await findOwnPullRequest(host, due))
  if (!found) return
  const { jobId } = due
  // Its end is recorded when all that was asked for before is taken: after that nobody looks.
  if (due.takesMessages && due.wasOpen) {
    const isRead = await readComments(deps, due, host, signal).catch((error: unknown) => {
      if (isCodeHostError(error, 'rate_limited')) throw error
      log.warn({ jobId, error: String(error) }, 'could not ask for the comments on a pull request')
      return error instanceof CodeHostError && error.failure.kind === 'final'
    })
    if (!isRead && found.state !== 'open') return
  }
  await pullRequests.record(due, found)
  if (found.state !== 'open' || signal.aborted) return
  await readChecks(pullRequests, due, host, found.headCommit).catch((error: unknown) => {
    if (isCodeHostError(error, 'rate_limited')) throw error
    log.warn({ jobId, error: String(error) }, 'could not ask for the checks of a pull request')
  })
}
