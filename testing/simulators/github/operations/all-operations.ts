import type { Operations } from '../api-call.ts'
import { appOperations } from './apps.ts'
import { checkOperations } from './checks.ts'
import { commentOperations } from './comments.ts'
import { gitDatabaseOperations } from './git-database.ts'
import { hookOperations } from './hooks.ts'
import { pullRequestOperations } from './pull-requests.ts'
import { repositoryOperations } from './repositories.ts'

/** The operations by their ID in GitHub's description. */
export const allOperations: Operations = {
  ...repositoryOperations,
  ...gitDatabaseOperations,
  ...pullRequestOperations,
  ...commentOperations,
  ...checkOperations,
  ...hookOperations,
  ...appOperations,
}
