/** Sends a failed CI check of a pull request back to the agent, if the project asks for it. */
import type { CommitId } from '../code-hosts/code-host.ts'
import type { CiCheck } from '../jobs/ci-check.ts'
import type { SignalJob } from '../jobs/job-signaler.ts'
import type { JobStore } from '../jobs/job-store.ts'
import type { DuePullRequest } from '../jobs/pull-request-store.ts'
import { AutomaticMessageNotDueError } from '../jobs/work-acceptor.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'

export interface SendFailedCheckDeps {
  jobs: Pick<JobStore, 'message'>
  wakeJob: SignalJob
  log: Log
}

/**
 * The name of the check is not part of the prompt, because it is not trusted: the agent gets it with the output of the check, as
 * material.
 */
const describeFailure = (failedCount: number): string =>
  `${failedCount === 1 ? 'A CI check' : `${failedCount} CI checks`} of your pull request failed. ${
    failedCount === 1 ? 'Its output follows.' : 'The output of the first one follows.'
  } Find the cause. If your changes caused it, fix them. If they did not, change nothing and explain what a person has to do.`

/** Waits until all checks of the commit have ended. Whether a message is due is decided where it is accepted, under the job's lock. */
export async function sendFailedCheck(
  { jobs, wakeJob, log }: SendFailedCheckDeps,
  { projectId, jobId, number }: DuePullRequest,
  commit: CommitId,
  checks: readonly CiCheck[],
): Promise<void> {
  const failed = checks.filter(({ status }) => status === 'failed')
  const [first] = failed
  if (!first || checks.some(({ status }) => status === 'pending')) return
  try {
    await jobs.message(
      projectId,
      jobId,
      {
        prompt: describeFailure(failed.length),
        failedCheck: first.name,
        automatic: { commit, pullRequestNumber: number },
      },
      { actor: { kind: 'code-host' }, idempotency: undefined, present: () => undefined },
    )
  } catch (error) {
    if (error instanceof AutomaticMessageNotDueError) return
    if (!(error instanceof Problem)) throw error
    log.info({ jobId, code: error.code }, 'failed check not accepted as a message')
    return
  }
  await wakeJob(jobId)
}
