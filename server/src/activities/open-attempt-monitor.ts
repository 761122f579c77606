/**
 * Ends attempts that have waited too long for a runner or whose runner is lost, and sends Temporal the few heartbeats that keep the
 * activities of the others alive. Every worker does this for all attempts, so the attempts of a worker that dies keep waiting.
 */
import { ApplicationFailure, type Client } from '@temporalio/client'
import type { AttemptStore, DueAttempt, TurnLimits } from '../jobs/attempt-store.ts'
import { type BackgroundTask, startBackgroundTask } from '../platform/background-task.ts'
import type { Log } from '../platform/log.ts'
import { createFinalFailure } from './create-final-failure.ts'

/** Sent one by one, sixty heartbeats took longer than a heartbeat timeout (tried, on a busy machine). */
const maxConcurrent = 20
const batchSize = 1_000

export function startOpenAttemptMonitor({
  client,
  attempts,
  limits,
  log,
}: {
  client: Pick<Client, 'activity'>
  attempts: AttemptStore
  limits: TurnLimits
  log: Log
}): BackgroundTask {
  /** If it does not reach Temporal, the attempt is due again in the next round. */
  const handle = async (attempt: DueAttempt): Promise<void> => {
    try {
      await report(attempt)
    } catch (error) {
      const kind = error instanceof Error ? error.name : ''
      if (kind === 'ActivityNotFoundError') await handleAbandoned(attempt)
      else if (kind === 'ActivityCancelledError') await handleCancelled(attempt)
      else throw error
    }
  }

  /** One whose runner is lost ends when it is queued again: by Temporal, or by the dispatcher if Temporal has lost its workflow. */
  const handleAbandoned = async (attempt: DueAttempt) => {
    if (attempt.failure !== 'runner_lost') await attempts.endAbandoned(attempt)
  }

  /** A runner that has claimed the attempt learns of the cancellation from PostgreSQL, and reports it. */
  const handleCancelled = async ({ isClaimed, taskToken }: DueAttempt) => {
    if (!isClaimed) await client.activity.reportCancellation(taskToken)
  }

  const report = async (attempt: DueAttempt): Promise<void> => {
    switch (attempt.failure) {
      case null:
        return client.activity.heartbeat(attempt.taskToken)
      case 'runner_lost':
        // The turn is queued again, which ends this attempt.
        return client.activity.fail(attempt.taskToken, ApplicationFailure.retryable('runner_lost', 'runner_lost'))
      case 'deadline_exceeded':
      case 'no_runner_available':
        if (!(await attempts.endQueued(attempt))) return // a runner has claimed it in the meantime
        return client.activity.fail(attempt.taskToken, createFinalFailure(attempt.failure))
    }
  }

  const round = async (stopping: AbortSignal) => {
    const due = (await attempts.claimDue(limits, batchSize)).values()
    const handleRemaining = async () => {
      for (const attempt of due) {
        if (stopping.aborted) return
        await handle(attempt).catch((error: unknown) =>
          log.warn({ turnId: attempt.turnId, error: String(error) }, 'could not tell Temporal the state of an attempt'),
        )
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, handleRemaining))
  }
  return startBackgroundTask({
    round,
    intervalMs: (limits.heartbeatTimeoutSeconds * 1000) / 6,
    failureMessage: 'could not check the open attempts',
    log,
  })
}
