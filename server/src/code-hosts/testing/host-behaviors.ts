import type { HostBehavior } from './behaviors/behavior.ts'
import { checks } from './behaviors/checks.ts'
import { comments } from './behaviors/comments.ts'
import { commits } from './behaviors/commits.ts'
import { connecting } from './behaviors/connecting.ts'
import { failures } from './behaviors/failures.ts'
import { pullRequests } from './behaviors/pull-requests.ts'
import { webhooks } from './behaviors/webhooks.ts'

/** The behavior that all code hosts have in common. Exceptions are declared with each behavior. */
export const hostBehaviors: readonly HostBehavior[] = [
  ...connecting,
  ...commits,
  ...pullRequests,
  ...comments,
  ...checks,
  ...webhooks,
  ...failures,
]
