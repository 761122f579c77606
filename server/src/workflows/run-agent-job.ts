/** The workflow of a job. Only ids and error codes go through it. */
import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { JobActivities, TakenTurn } from '../activities/job-activities.ts'

export const wakeJobSignal = defineSignal('wake')
export const stopJobSignal = defineSignal('stop')

const { takeNextTurn, failTurn } = proxyActivities<JobActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
})

/** Deadlines are kept in PostgreSQL, where a restart does not reset them. These timeouts only detect dead workers and runners. */
const performTurn = (turn: TakenTurn) =>
  proxyActivities<JobActivities>({
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: turn.performHeartbeatTimeoutMs ?? turn.heartbeatTimeoutMs,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
  }).performTurn(turn.id)

const publishTurn = (turn: TakenTurn) =>
  proxyActivities<JobActivities>({
    startToCloseTimeout: '10 minutes',
    scheduleToCloseTimeout: turn.publishTimeoutMs,
    heartbeatTimeout: turn.heartbeatTimeoutMs,
    retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
  }).publishTurn(turn.id)

/** Only a fallback: the dispatcher wakes jobs with an unpublished result when their project is resumed. */
const pausedPollInterval = '5 minutes'

export async function runAgentJob(jobId: string): Promise<void> {
  let woken = true
  let stopRequested = false
  let signaled = false
  let running: CancellationScope | undefined
  setHandler(wakeJobSignal, () => {
    woken = true
    signaled = true
  })
  setHandler(stopJobSignal, () => {
    woken = true
    signaled = true
    stopRequested = true
    running?.cancel()
  })

  /** Waits while the project is paused. `paused`: the history has become long, and a new run has to continue. */
  const publish = async (turn: TakenTurn) => {
    for (;;) {
      signaled = false // before the activity: a signal that arrives during it ends the wait
      const result = await publishTurn(turn)
      if (result !== 'paused' || workflowInfo().continueAsNewSuggested) return result
      await condition(() => signaled, pausedPollInterval)
    }
  }

  while (woken) {
    woken = false // a message that arrives during the loop below sets it again, so none is missed
    stopRequested = false
    for (let turn = await takeNextTurn(jobId); turn; turn = await takeNextTurn(jobId)) {
      const taken = turn
      try {
        do {
          running = new CancellationScope()
          if (stopRequested) running.cancel() // requested while the turn was being taken
          await running.run(() => performTurn(taken))
          running = undefined
        } while ((await publish(taken)) === 'restart')
      } catch (error) {
        // If a runner dies after a stop was requested, Temporal reports a timeout and does not retry.
        const code = running?.consideredCancelled ? 'cancelled' : toErrorCode(error)
        running = undefined
        await CancellationScope.nonCancellable(() => failTurn(taken.id, code))
      }
      stopRequested = false
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof runAgentJob>(jobId)
    }
  }
}

/** A turn error code. Its message is added where it is recorded. */
function toErrorCode(error: unknown): string {
  if (isCancellation(error)) return 'cancelled'
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.type) return cause.type
    if (cause instanceof TimeoutFailure) return 'publish_timeout'
  }
  return 'internal_error'
}
