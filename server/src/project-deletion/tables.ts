import type { Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'

/** `left`: the code host was not reachable for too long, or the token may not manage webhooks. */
export type WebhookState = 'pending' | 'removed' | 'left'

export interface ProjectDeletionTables {
  project_deletion: {
    project_id: Id<'prj'>
    requested_at: Generated<Date>
    requested_by: string | null
    webhook: Generated<WebhookState>
    writers_below: Generated<string | null>
    writers_read_at: Generated<Date | null>
    last_view_batch_id: Generated<string | null>
    views_deleted_at: Generated<Date | null>
    leased_until: Generated<Date>
    completed_at: Generated<Date | null>
  }
  deleted_project_spend: {
    day: Date
    model: string
    calls: string
    tokens: string
    cost_usd: string
    unpriced_tokens: string
  }
}
