import type { HostBehaviour } from './behaviours/behaviour.ts'
import { checks } from './behaviours/checks.ts'
import { comments } from './behaviours/comments.ts'
import { commits } from './behaviours/commits.ts'
import { connecting } from './behaviours/connecting.ts'
import { failures } from './behaviours/failures.ts'
import { pullRequests } from './behaviours/pull-requests.ts'
import { webhooks } from './behaviours/webhooks.ts'

/** What every code host does in the same way. What one cannot is said with it. */
export const hostBehaviours: readonly HostBehaviour[] = [
  ...connecting,
  ...commits,
  ...pullRequests,
  ...comments,
  ...checks,
  ...webhooks,
  ...failures,
]
