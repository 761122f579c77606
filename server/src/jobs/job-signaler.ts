/** Signals a job's workflow that there is work, and starts the workflow if it is not running. */
import { type Client, type Connection, WorkflowExecutionAlreadyStartedError } from '@temporalio/client'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

/** Takes at most a second and never throws. The dispatcher wakes jobs whose signal was lost. */
export type SignalJob = (jobId: Id<'job'>) => Promise<void>

export interface JobSignaler {
  /** For a new job. Costs Temporal 10% less than a signal. */
  startJob: SignalJob
  wakeJob: SignalJob
  /** Wakes the job and stops its current turn. */
  stopJob: SignalJob
  /**
   * Replaces a workflow that is stuck, for example because it was started by an incompatible version. Nothing is lost: PostgreSQL has
   * the state of the job, and the new workflow continues from it.
   */
  restartJob: SignalJob
}

export const jobTaskQueue = 'agent-jobs'
const timeoutMs = 1_000

/** The workflow id is the job id, so a second start only signals the first. */
export function createJobSignaler(client: Client, connection: Connection, log: Log): JobSignaler {
  const workflow = (jobId: Id<'job'>) => ({ workflowId: jobId, taskQueue: jobTaskQueue, args: [jobId] })
  const withTimeout = (send: (jobId: Id<'job'>) => Promise<unknown>) => async (jobId: Id<'job'>) => {
    try {
      // Without a deadline the call hangs for 21 s when Temporal is down (tried).
      await connection.withDeadline(Date.now() + timeoutMs, () => send(jobId))
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return // the dispatcher was faster
      log.warn({ jobId, error: String(error) }, 'could not wake job; the dispatcher will retry')
    }
  }
  const signal = (name: 'wake' | 'stop') =>
    withTimeout((jobId) => client.workflow.signalWithStart('runAgentJob', { ...workflow(jobId), signal: name }))
  return {
    startJob: withTimeout((jobId) => client.workflow.start('runAgentJob', workflow(jobId))),
    wakeJob: signal('wake'),
    stopJob: signal('stop'),
    restartJob: withTimeout((jobId) =>
      client.workflow.start('runAgentJob', { ...workflow(jobId), workflowIdConflictPolicy: 'TERMINATE_EXISTING' }),
    ),
  }
}
