/** The workflow of an endpoint that has deliveries: sends what is due, and waits until more is. Only the ID goes through it. */
import { condition, continueAsNew, defineSignal, proxyActivities, setHandler, workflowInfo } from '@temporalio/workflow'
import type { WebhookActivities } from '../activities/webhook-activities.ts'

export const wakeEndpointSignal = defineSignal('wake')

/** In a task queue of their own, so that slow endpoints use up no slots of jobs. */
const { deliverDue } = proxyActivities<WebhookActivities>({
  taskQueue: 'webhooks',
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '20 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
})

export async function deliverToEndpoint(endpointId: string): Promise<void> {
  let woken = false
  setHandler(wakeEndpointSignal, () => {
    woken = true
  })
  for (;;) {
    woken = false
    const nextDelayMs = await deliverDue(endpointId)
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof deliverToEndpoint>(endpointId)
    if (woken) continue // an event that arrived during the activity
    if (nextDelayMs === null) return
    await condition(() => woken, Math.max(minDelayMs, nextDelayMs))
  }
}

const minDelayMs = 100
