import Type, { type Static } from 'typebox'
import { type Delivery, type DeliveryAttempt, deliveryStatuses } from '../../webhooks/endpoint.ts'
import { DateTime, nullable } from '../schemas.ts'

export const deliveryExample = {
  id: 'dlv_01m7ej8w2xf7a9b4c6d8e0g2hj',
  eventId: 'evt_01m7ej8w2wf5k7n9p1r3t5v7xz',
  eventType: 'job.completed',
  eventAt: '2026-01-31T12:34:56.000Z',
  status: 'delivered',
  isResend: false,
  attempts: 1,
  createdAt: '2026-01-31T12:34:56.000Z',
  nextAttemptAt: null,
  endedAt: '2026-01-31T12:34:57.000Z',
} as const

export const DeliveryStatusSchema = Type.Enum(deliveryStatuses, {
  description:
    '`pending` until the endpoint has accepted the event, for at most three days. Then `delivered`, or `failed` if it was given up.',
})

export const DeliverySchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the delivery.' }),
    eventId: Type.String({ description: 'ID of the event, sent as `webhook-id`. A resend has the same.' }),
    eventType: Type.String({ description: 'Type of the event.' }),
    eventAt: DateTime('Time of the event.'),
    status: DeliveryStatusSchema,
    isResend: Type.Boolean({ description: 'Whether someone requested that the event is sent again.' }),
    attempts: Type.Integer({ description: 'Number of requests that were sent.' }),
    createdAt: DateTime('Time at which the delivery was queued.'),
    nextAttemptAt: nullable(
      DateTime(
        'Time of the next attempt, or later if the endpoint backs off or an earlier event of the same job waits. Null if the delivery has ended.',
      ),
    ),
    endedAt: nullable(DateTime('Time at which the delivery ended. Null while it is pending.')),
  },
  { $id: 'WebhookDelivery', description: 'An event that is sent to an endpoint.', examples: [deliveryExample] },
)

export const AttemptSchema = Type.Object(
  {
    number: Type.Integer({ description: 'Number of the attempt, from 1.' }),
    startedAt: DateTime('Time at which the request was sent.'),
    durationMs: nullable(Type.Integer(), {
      description:
        'How long the request took, in milliseconds. Null while it runs, and if the process ended during it.',
    }),
    responseStatus: nullable(Type.Integer(), { description: 'HTTP status of the response. Null if there was none.' }),
    responseBeginning: nullable(Type.String(), {
      description: 'Beginning of the response, at most 2 KB. Null if there was none.',
    }),
    error: nullable(Type.String(), { description: 'Why the attempt failed, as a sentence. Null if it has not.' }),
  },
  { description: 'A request that was sent to the endpoint.' },
)

export const attemptExample = {
  number: 1,
  startedAt: '2026-01-31T12:34:56.500Z',
  durationMs: 120,
  responseStatus: 204,
  responseBeginning: '',
  error: null,
}

export const toDeliveryResponse = (delivery: Delivery): Static<typeof DeliverySchema> => ({
  id: delivery.id,
  eventId: delivery.event.id,
  eventType: delivery.event.type,
  eventAt: delivery.event.at.toISOString(),
  status: delivery.status,
  isResend: delivery.isResend,
  attempts: delivery.attempts,
  createdAt: delivery.createdAt.toISOString(),
  nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
  endedAt: delivery.endedAt?.toISOString() ?? null,
})

export const toAttemptResponse = (attempt: DeliveryAttempt): Static<typeof AttemptSchema> => ({
  ...attempt,
  startedAt: attempt.startedAt.toISOString(),
})
