/** Polls the pull requests of jobs: every few minutes, and soon after a webhook. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CodeHost } from '../code-hosts/code-host.ts'
import { CodeHostError, isCodeHostErrorWithCode } from '../code-hosts/code-host-error.ts'
import type { DuePullRequest, OpenedPullRequest, PullRequestStore } from '../jobs/pull-request-store.ts'
import type { TurnStore } from '../jobs/turn-store.ts'
import type { Log } from '../platform/log.ts'
import { adoptPullRequest } from './adopt-pull-request.ts'
import { findOwnPullRequest } from './find-own-pull-request.ts'
import type { PollBeforeTurn } from './job-activities.ts'
import { pollPullRequestChecks } from './poll-pull-request-checks.ts'
import { startPoller } from './poller.ts'
import { type ProcessCommentsDeps, processPullRequestComments } from './process-pull-request-comments.ts'
import type { ProjectRepositoryOpener } from './project-repository-opener.ts'
import { sendFailedCheck } from './send-failed-check.ts'

interface PollDeps {
  pullRequests: PullRequestStore
  openProject: ProjectRepositoryOpener
  log: Log
}

/** Polls the state only. If the code host is slow or cannot be reached, the recorded state stays. */
export function createPollBeforeTurn(deps: PollDeps & { turns: TurnStore }): PollBeforeTurn {
  const { turns, openProject, log } = deps
  return async (turnId, signal) => {
    const pullRequest = await turns.readOpenPullRequest(turnId)
    const toPoll = pullRequest ?? (await turns.readBranchOfFailedTurn(turnId))
    if (!toPoll) return
    try {
      const project = await openProject(toPoll.projectId, signal)
      if (!project) return
      if (pullRequest) await pollOpenPullRequest(deps, project.host, pullRequest, signal)
      else await adoptPullRequest(deps, project.host, turnId)
    } catch (error) {
      log.warn({ jobId: toPoll.jobId, error: String(error) }, 'could not poll pull request')
    }
  }
}

async function pollOpenPullRequest(
  { pullRequests }: PollDeps,
  host: CodeHost,
  pullRequest: OpenedPullRequest,
  signal: AbortSignal,
): Promise<void> {
  const found = await findOwnPullRequest(host, pullRequest)
  if (!found) return
  // Code hosts close a pull request when its branch is deleted, some with a delay (Gitea, tried). No turn can start from it.
  const isClosing = found.state === 'open' && !(await hasBranch(host, pullRequest, signal))
  await pullRequests.recordState(pullRequest, isClosing ? { ...found, state: 'closed' } : found)
}

/**
 * Right after its restart a code host may not find what is there. So a branch counts as deleted only if the pull request is found
 * once more, and the branch is not.
 */
async function hasBranch(host: CodeHost, pullRequest: OpenedPullRequest, signal: AbortSignal): Promise<boolean> {
  if ((await host.branchHead(pullRequest.branch)) !== undefined) return true
  await sleep(confirmAfterMs, undefined, { signal })
  const isHostWorking = (await findOwnPullRequest(host, pullRequest)) !== undefined
  return !isHostWorking || (await host.branchHead(pullRequest.branch)) !== undefined
}

export function startPullRequestPoller({
  pollSeconds,
  ...deps
}: PollDeps & ProcessCommentsDeps & { pollSeconds: number }): { stop(): Promise<void> } {
  const { pullRequests, log } = deps
  return startPoller<DuePullRequest>({
    subject: 'pull requests',
    claimDue: (limit, busy) => pullRequests.claimDue(pollSeconds, limit, busy),
    async poll(due, signal) {
      try {
        await pollPullRequest(deps, due, signal)
      } catch (error) {
        if (isCodeHostErrorWithCode(error, 'rate_limited'))
          await pullRequests.backOff(due, error.failure.retryAfterSeconds ?? defaultBackoffSeconds)
        throw error
      }
    },
    log,
  })
}

const defaultBackoffSeconds = 60
const confirmAfterMs = 2_000

/**
 * A read that fails is repeated at the next poll and does not prevent the other reads, except when the code host limits our
 * rate.
 */
async function pollPullRequest(
  deps: PollDeps & ProcessCommentsDeps,
  due: DuePullRequest,
  signal: AbortSignal,
): Promise<void> {
  const { pullRequests, openProject, log } = deps
  const project = await openProject(due.projectId, signal)
  const found = project && (await findOwnPullRequest(project.host, due))
  if (!found) return
  const { jobId } = due
  const { host, repository } = project
  // Its end is recorded only after all earlier comments are read, because it is not polled afterwards.
  if (due.acceptsMessages && due.wasOpen) {
    const isRead = await processPullRequestComments(deps, due, host, signal).catch((error: unknown) => {
      if (isCodeHostErrorWithCode(error, 'rate_limited')) throw error
      log.warn({ jobId, error: String(error) }, 'could not read pull request comments')
      return error instanceof CodeHostError && error.failure.kind === 'final'
    })
    if (!isRead && found.state !== 'open') return
  }
  await pullRequests.recordState(due, found)
  if (found.state !== 'open' || signal.aborted) return
  const checks = await pollPullRequestChecks(pullRequests, due, host, found.headCommit).catch((error: unknown) => {
    if (isCodeHostErrorWithCode(error, 'rate_limited')) throw error
    log.warn({ jobId, error: String(error) }, 'could not read pull request checks')
    return []
  })
  if (due.acceptsMessages && repository.rules.fixFailedChecks)
    await sendFailedCheck(deps, due, found.headCommit, checks)
}
