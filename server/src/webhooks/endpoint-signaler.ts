/** Wakes the workflow of an endpoint, and starts it if it is not running. */
import type { Client, Connection } from '@temporalio/client'
import type { Id } from '../platform/ids.ts'

export const webhookTaskQueue = 'webhooks'

const timeoutMs = 1_000

/** The endpoint is woken again while something is due. So a workflow that is stuck, or waits for hours, only has to end at some point. */
const executionTimeout = '1 hour'

/** Throws if Temporal cannot be reached. */
export type WakeEndpoint = (endpointId: Id<'end'>) => Promise<void>

/** `workflowQueue`: the one with the tasks of all workflows. */
export const createEndpointSignaler =
  (client: Client, connection: Connection, workflowQueue: string): WakeEndpoint =>
  async (endpointId) => {
    await connection.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.signalWithStart('deliverToEndpoint', {
        workflowId: endpointId,
        taskQueue: workflowQueue,
        args: [endpointId],
        signal: 'wake',
        workflowExecutionTimeout: executionTimeout,
      }),
    )
  }
