import { proxyActivities } from '@temporalio/workflow'
import type { ModelActivities } from '../activities/model-activities.ts'

const activities = proxyActivities<ModelActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 }, // a person waits for the response, and can try again
})

/** The key of the model is opened in the activity only: names go in, and an error message or null comes out. */
export const testStoredModel = (projectId: string, model: string): Promise<string | null> =>
  activities.testStoredModel(projectId, model)
