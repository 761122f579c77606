import { proxyActivities } from '@temporalio/workflow'
import type { GithubActivities } from '../activities/github-activities.ts'

const activities = proxyActivities<GithubActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 }, // somebody looks on, and can ask again
})

/** Codes, keys and tokens are opened where the activities run: ids and names go in, and what a person is told comes out. */
export const exchangeVisit = (authorizationId: string) => activities.exchangeVisit(authorizationId)

export const testFoundRepository = (
  authorizationId: string,
  repositoryId: number,
  baseBranch: string,
  docsFolder: string,
) => activities.testFoundRepository(authorizationId, repositoryId, baseBranch, docsFolder)
