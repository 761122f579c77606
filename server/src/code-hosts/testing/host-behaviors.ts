import type { HostBehavior } from './behaviors/behavior.ts'
import { checkBehaviors } from './behaviors/checks.ts'
import { commentBehaviors } from './behaviors/comments.ts'
import { commitBehaviors } from './behaviors/commits.ts'
import { connectionBehaviors } from './behaviors/connecting.ts'
import { failureBehaviors } from './behaviors/failures.ts'
import { pullRequestBehaviors } from './behaviors/pull-requests.ts'
import { webhookBehaviors } from './behaviors/webhooks.ts'

/** The behavior that all code hosts have in common. Exceptions are declared with each behavior. */
export const hostBehaviors: readonly HostBehavior[] = [
  ...connectionBehaviors,
  ...commitBehaviors,
  ...pullRequestBehaviors,
  ...commentBehaviors,
  ...checkBehaviors,
  ...webhookBehaviors,
  ...failureBehaviors,
]
