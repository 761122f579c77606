/** The story of a job, and nothing else. Only ids and error codes go through it. */
import {
  ActivityCancellationType,
  ApplicationFailure,
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setHandler,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import type { JobActivities, TakenTurn } from '../activities/job-activities.ts'

export const wake = defineSignal('wake')
export const stop = defineSignal('stop')

const { takeNextTurn, failTurn } = proxyActivities<JobActivities>({
  startToCloseTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '10 seconds' },
})

/** Deadlines are counted in PostgreSQL, where a restart does not begin them anew; these are only to notice the dead. */
const performTurn = (turn: TakenTurn) =>
  proxyActivities<JobActivities>({
    startToCloseTimeout: '24 hours',
    heartbeatTimeout: turn.heartbeatTimeoutMs,
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

export async function runAgentJob(jobId: string): Promise<void> {
  let woken = true
  let stopAsked = false
  let running: CancellationScope | undefined
  setHandler(wake, () => {
    woken = true
  })
  setHandler(stop, () => {
    woken = true
    stopAsked = true
    running?.cancel()
  })

  while (woken) {
    woken = false // a message that arrives while we drain sets it again: none is left behind
    stopAsked = false
    for (let turn = await takeNextTurn(jobId); turn; turn = await takeNextTurn(jobId)) {
      const taken = turn
      try {
        do {
          running = new CancellationScope()
          if (stopAsked) running.cancel() // asked for while the turn was being taken up
          await running.run(() => performTurn(taken))
          running = undefined
        } while ((await publishTurn(taken)) === 'perform_again')
      } catch (error) {
        // A runner that dies after it was asked to stop is a timeout to Temporal, which tries nothing again then.
        const reason = running?.consideredCancelled ? 'cancelled' : reasonOf(error)
        running = undefined
        await CancellationScope.nonCancellable(() => failTurn(taken.id, reason))
      }
      stopAsked = false
      if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof runAgentJob>(jobId)
    }
  }
}

/** An error code; its words are added where it is recorded. */
function reasonOf(error: unknown): string {
  if (isCancellation(error)) return 'cancelled'
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && cause.type) return cause.type
    if (cause instanceof TimeoutFailure) return 'publish_timeout'
  }
  return 'internal_error'
}
