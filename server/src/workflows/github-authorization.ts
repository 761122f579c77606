import { proxyActivities } from '@temporalio/workflow'
import type { GithubAuthorizationActivities } from '../activities/github-authorization-activities.ts'

const activities = proxyActivities<GithubAuthorizationActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 }, // a person waits for the response, and can try again
})

/** Secrets are opened in the activities only: ids and names go in, and messages for a person come out. */
export const storeWritableRepositories = (authorizationId: string) =>
  activities.storeWritableRepositories(authorizationId)

export const testAuthorizedRepository = (
  authorizationId: string,
  repositoryId: number,
  baseBranch: string,
  docsFolder: string,
) => activities.testAuthorizedRepository(authorizationId, repositoryId, baseBranch, docsFolder)
