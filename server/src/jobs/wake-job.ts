/** Tells a job's workflow that there is something to do, and starts it where it is not running. */
import type { Client, Connection } from '@temporalio/client'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

/** At most a second, and never throws: what was missed is woken by the dispatcher. */
export type WakeJob = (jobId: Id<'job'>) => Promise<void>

export interface JobSignals {
  wakeJob: WakeJob
  /** Wakes it, and stops the turn in hand. */
  stopJob: WakeJob
}

export const jobTaskQueue = 'agent-jobs'
const withinMs = 1_000

/** Workflow id = job id: a second start is a signal to the first. */
export function createJobSignals(client: Client, connection: Connection, log: Log): JobSignals {
  const send = (signal: 'wake' | 'stop') => async (jobId: Id<'job'>) => {
    try {
      // Without a deadline the call hangs for 21 s when Temporal is gone (tried).
      await connection.withDeadline(Date.now() + withinMs, () =>
        client.workflow.signalWithStart('runAgentJob', {
          workflowId: jobId,
          taskQueue: jobTaskQueue,
          args: [jobId],
          signal,
        }),
      )
    } catch (error) {
      log.warn({ jobId, error: String(error) }, 'could not wake a job: the dispatcher will')
    }
  }
  return { wakeJob: send('wake'), stopJob: send('stop') }
}
