/** What only `worker` can do, because it takes an opened secret, is asked of it by a workflow that carries names alone. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type Connection, WorkflowFailedError } from '@temporalio/client'
import { Problem } from './http/problem.ts'
import { isServiceUnavailable } from './service-unavailable.ts'

export type AskWorker = (workflow: string, args: readonly unknown[]) => Promise<AskedWorker>

export type AskedWorker =
  | { kind: 'answered'; response: unknown }
  /** Or one that did not manage in time. */
  | { kind: 'nobody' }

/** How long the work itself may take, while somebody looks on whose client waits for 30 s. */
export const workerPatienceMs = 20_000
const nobodyTookItMs = 23_000
const comesWithinMs = 3_000

export function createAskWorker(client: Client, connection: Connection, taskQueue: string): AskWorker {
  /** A worker that has just started is known to Temporal a few seconds later. */
  const isWorkerThere = async () => {
    const asked = { namespace: client.options.namespace, taskQueue: { name: taskQueue } }
    for (const until = Date.now() + comesWithinMs; ; await sleep(500)) {
      const { pollers } = await connection.workflowService.describeTaskQueue(asked)
      if (pollers && pollers.length > 0) return true
      if (Date.now() > until) return false
    }
  }
  return async (workflow, args) => {
    try {
      return await connection.withDeadline(Date.now() + comesWithinMs + nobodyTookItMs, async () => {
        if (!(await isWorkerThere())) return { kind: 'nobody' } // else it would be waited for in vain
        const response: unknown = await client.workflow.execute(workflow, {
          workflowId: `${workflow}-${randomUUID()}`,
          taskQueue,
          args: [...args],
          workflowExecutionTimeout: nobodyTookItMs,
        })
        return { kind: 'answered', response }
      })
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { kind: 'nobody' }
      if (isServiceUnavailable(error)) throw new Problem('unavailable', 'This cannot be done while Temporal is away.')
      throw error
    }
  }
}
