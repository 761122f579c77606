/**
 * The tables of webhooks, and what writes to them.
 *
 * - `webhook_endpoint`: `EndpointStore` those columns that people set, `DeliveryStore` the state of its deliveries. `Offboarding` disables
 *   the endpoints of people who lose access.
 * - `webhook_event`, `endpoint_delivery`: the function `record_webhook_event` of the database inserts, called by triggers and by
 *   `RunnerStore`. `DeliveryStore` inserts test events and resends, and records how deliveries end.
 * - `endpoint_attempt`: `DeliveryStore`.
 */
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { DeliveryStatus, DisabledReason, EndpointKind, EventType } from './endpoint.ts'

export interface WebhookTables {
  webhook_endpoint: {
    project_id: Id<'prj'>
    id: Id<'end'>
    kind: EndpointKind
    name: string
    target: string
    events: EventType[]
    max_per_second: number
    sealed_secret: Uint8Array | null
    sealed_previous_secret: Generated<Uint8Array | null>
    previous_secret_expires_at: Generated<Date | null>
    responsible: string
    created_at: Generated<Date>
    disabled_at: Generated<Date | null>
    disabled_reason: Generated<DisabledReason | null>
    notice_due_at: Generated<Date | null>
    notice_attempts: Generated<number>
    failing_since: Generated<Date | null>
    consecutive_failures: Generated<number>
    retry_at: Generated<Date | null>
    lease_holder: Generated<string | null>
    lease_expires_at: Generated<Date | null>
    woken_at: Generated<Date | null>
  }
  webhook_event: {
    project_id: Id<'prj'>
    id: Id<'evt'>
    type: string
    job_id: Id<'job'> | null
    data: JSONColumnType<Record<string, unknown>>
    at: Generated<Date>
  }
  endpoint_delivery: {
    project_id: Id<'prj'>
    endpoint_id: Id<'end'>
    event_id: Id<'evt'>
    id: Id<'dlv'>
    sequence: ColumnType<string, never, never>
    order_key: string
    status: Generated<DeliveryStatus>
    is_resend: Generated<boolean>
    attempts: Generated<number>
    created_at: Generated<Date>
    due_at: Generated<Date>
    ended_at: Generated<Date | null>
  }
  endpoint_attempt: {
    project_id: Id<'prj'>
    delivery_id: Id<'dlv'>
    number: number
    started_at: Generated<Date>
    duration_ms: Generated<number | null>
    response_status: Generated<number | null>
    response_beginning: Generated<string | null>
    error: Generated<string | null>
  }
}
