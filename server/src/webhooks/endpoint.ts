/** An endpoint receives events of a project: a webhook, a channel of a chat, or an email address of a member. */
import type { Id } from '../platform/ids.ts'

export const endpointKinds = ['webhook', 'slack', 'teams', 'email'] as const
export type EndpointKind = (typeof endpointKinds)[number]

export const eventTypes = [
  'job.completed',
  'job.failed',
  'job.archived',
  'job.awaiting_approval',
  'job.pull_request.opened',
  'job.pull_request.merged',
  'job.pull_request.closed',
  'budget.threshold',
  'runner.offline',
] as const
export type EventType = (typeof eventTypes)[number]

/** Sent on request, to one endpoint, whatever it has subscribed to. */
export const testEventType = 'webhook.test'

export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/**
 * `by_person`: on request. `gone`: the endpoint responded with 410. `failing`: nothing could be delivered for days. `creator_left`: who
 * created or enabled it has lost access. `recipient_left`: the email address is no longer one of a member.
 */
export const disabledReasons = ['by_person', 'gone', 'failing', 'creator_left', 'recipient_left'] as const
export type DisabledReason = (typeof disabledReasons)[number]

export interface Endpoint {
  projectId: Id<'prj'>
  id: Id<'end'>
  kind: EndpointKind
  name: string
  /** The URL of a webhook, or the email address. Of a chat only the host: its URL is a secret. */
  target: string
  events: readonly EventType[]
  maxPerSecond: number
  /** Who created the endpoint, or enabled it last, as in the audit log. */
  responsible: string
  createdAt: Date
  /** Null: enabled. */
  disabled: { at: Date; reason: DisabledReason } | null
  /** Since when every attempt has failed. Null: the last one succeeded. */
  failingSince: Date | null
  /** Until when requests are also signed with the previous secret. Null: they are not. */
  previousSecretExpiresAt: Date | null
}

/** Slack and Teams accept about one message per second per channel. */
export const defaultMaxPerSecond: Readonly<Record<EndpointKind, number>> = { webhook: 20, slack: 1, teams: 1, email: 1 }
export const maxPerSecondLimit = 100

export interface WebhookEvent {
  id: Id<'evt'>
  type: string
  at: Date
  data: Record<string, unknown>
}

export interface Delivery {
  id: Id<'dlv'>
  event: { id: Id<'evt'>; type: string; at: Date }
  status: DeliveryStatus
  isResend: boolean
  attempts: number
  createdAt: Date
  /** Null: the delivery has ended. */
  nextAttemptAt: Date | null
  endedAt: Date | null
}

export interface DeliveryAttempt {
  number: number
  startedAt: Date
  /** Null: the call has not ended, or the process ended during it. */
  durationMs: number | null
  responseStatus: number | null
  responseBeginning: string | null
  error: string | null
}

/** The body of a webhook. Every delivery of an event has the same. */
export const composePayload = ({ type, at, data }: WebhookEvent): string =>
  JSON.stringify({ type, timestamp: at.toISOString(), data })
