/**
 * Calls `worker` from `api`, through a Temporal workflow, for operations that need an opened secret. The workflow
 * carries only names and ids, never a secret.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, type Connection, WorkflowFailedError } from '@temporalio/client'
import { Problem } from './http/problem.ts'
import { isServiceUnavailable } from './service-unavailable.ts'

export type CallWorker = (workflow: string, args: readonly unknown[]) => Promise<WorkerCallResult>

export type WorkerCallResult =
  | { kind: 'completed'; response: unknown }
  /** No worker is running, or it did not finish in time. */
  | { kind: 'no_worker' }

/** How long the operation itself may take. A person is waiting, and their client gives up after 30 s. */
export const workerCallTimeoutMs = 20_000
const workflowTimeoutMs = 23_000
const workerStartupMs = 3_000

export function createWorkerCaller(client: Client, connection: Connection, taskQueue: string): CallWorker {
  /** Temporal learns of a worker only a few seconds after it has started. */
  const hasWorker = async () => {
    const request = { namespace: client.options.namespace, taskQueue: { name: taskQueue } }
    for (const deadline = Date.now() + workerStartupMs; ; await sleep(500)) {
      const { pollers } = await connection.workflowService.describeTaskQueue(request)
      if (pollers && pollers.length > 0) return true
      if (Date.now() > deadline) return false
    }
  }
  return async (workflow, args) => {
    try {
      return await connection.withDeadline(Date.now() + workerStartupMs + workflowTimeoutMs, async () => {
        if (!(await hasWorker())) return { kind: 'no_worker' } // instead of waiting for the timeout
        const response: unknown = await client.workflow.execute(workflow, {
          workflowId: `${workflow}-${randomUUID()}`,
          taskQueue,
          args: [...args],
          workflowExecutionTimeout: workflowTimeoutMs,
        })
        return { kind: 'completed', response }
      })
    } catch (error) {
      if (error instanceof WorkflowFailedError) return { kind: 'no_worker' }
      if (isServiceUnavailable(error))
        throw new Problem('unavailable', 'Temporal cannot be reached. Try again in a few seconds.')
      throw error
    }
  }
}
