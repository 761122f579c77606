import { proxyActivities } from '@temporalio/workflow'
import type { ModelActivities } from '../activities/model-activities.ts'

const activities = proxyActivities<ModelActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 }, // somebody looks on, and can ask again
})

/** Its key is opened where the activity runs: names go in, and a sentence or null comes out. */
export const testStoredModel = (projectId: string, model: string): Promise<string | null> =>
  activities.testStoredModel(projectId, model)
