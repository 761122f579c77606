/** Tells a job's workflow that there is something to do, and starts it where it is not running. */
import { type Client, type Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

/** At most a second, and never throws: what was missed is woken by the dispatcher. */
export type WakeJob = (jobId: Id<'job'>) => Promise<void>

export interface JobSignals {
  /** For a new job: a tenth cheaper for Temporal than to wake it. */
  startJob: WakeJob
  wakeJob: WakeJob
  /** Wakes it, and stops the turn in hand. */
  stopJob: WakeJob
}

export const jobTaskQueue = 'agent-jobs'
const withinMs = 1_000

/** Workflow id = job id: a second start is a signal to the first. */
export function createJobSignals(client: Client, connection: Connection, log: Log): JobSignals {
  const workflow = (jobId: Id<'job'>) => ({ workflowId: jobId, taskQueue: jobTaskQueue, args: [jobId] })
  const within = (send: (jobId: Id<'job'>) => Promise<unknown>) => async (jobId: Id<'job'>) => {
    try {
      // Without a deadline the call hangs for 21 s when Temporal is gone (tried).
      await connection.withDeadline(Date.now() + withinMs, () => send(jobId))
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return // the dispatcher was quicker
      log.warn({ jobId, error: String(error) }, 'could not wake a job: the dispatcher will')
    }
  }
  const signal = (name: 'wake' | 'stop') =>
    within((jobId) => client.workflow.signalWithStart('runAgentJob', { ...workflow(jobId), signal: name }))
  return {
    startJob: within((jobId) => client.workflow.start('runAgentJob', workflow(jobId))),
    wakeJob: signal('wake'),
    stopJob: signal('stop'),
  }
}
