import Type, { type Static } from 'typebox'
import {
  disabledReasons,
  type Endpoint,
  endpointKinds,
  eventTypes,
  maxPerSecondLimit,
} from '../../webhooks/endpoint.ts'
import { DateTime, nullable, SingleLineText } from '../schemas.ts'

export const endpointExample = {
  id: 'end_01m7ej7q4re5x8v2k9s3t6w0bn',
  kind: 'webhook',
  name: 'Docs pipeline',
  target: 'https://ci.example.com/colophon',
  events: ['job.completed', 'job.failed'],
  maxPerSecond: 20,
  isEnabled: true,
  disabledReason: null,
  disabledAt: null,
  failingSince: null,
  previousSecretExpiresAt: null,
  responsible: 'owner@example.com',
  createdAt: '2026-01-31T12:00:00.000Z',
} as const

export const EndpointKindSchema = Type.Enum(endpointKinds, {
  description:
    '`webhook`: signed requests as in Standard Webhooks. `slack`: messages through an incoming webhook of Slack. `teams`: messages ' +
    'through a webhook of a workflow in Microsoft Teams. `email`: plain text to a member of the project.',
})

export const EndpointName = SingleLineText({ minLength: 1, maxLength: 100, description: 'Name of the endpoint.' })

export const EndpointEvents = Type.Array(Type.Enum(eventTypes), {
  minItems: 1,
  maxItems: eventTypes.length,
  description: 'Types of the events that are sent to the endpoint.',
})

export const MaxPerSecond = Type.Integer({
  minimum: 1,
  maximum: maxPerSecondLimit,
  description: 'Maximum number of requests per second. By default 20 for a webhook and 1 for the others.',
})

export const EndpointSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the endpoint.' }),
    kind: EndpointKindSchema,
    name: Type.String({ description: 'Name of the endpoint.' }),
    target: Type.String({
      description: 'URL of a webhook, or the email address. Of a chat only the host, because its URL is a secret.',
    }),
    events: Type.Array(Type.Enum(eventTypes), { description: 'Types of the events that are sent to the endpoint.' }),
    maxPerSecond: Type.Integer({ description: 'Maximum number of requests per second.' }),
    isEnabled: Type.Boolean({ description: 'Whether events are sent to the endpoint.' }),
    disabledReason: nullable(Type.Enum(disabledReasons), {
      description:
        'Why the endpoint is disabled. `by_person`: on request. `gone`: it responded with 410. `failing`: nothing could be delivered for ' +
        'days. `creator_left`: who created or enabled it has lost access. `recipient_left`: the email address is no longer one of a ' +
        'member. Null if it is enabled.',
    }),
    disabledAt: nullable(DateTime('Time at which the endpoint was disabled. Null if it is enabled.')),
    failingSince: nullable(
      DateTime('Time of the first failed attempt since the last successful one. Null if the last one was successful.'),
    ),
    previousSecretExpiresAt: nullable(
      DateTime('Time until which requests are also signed with the previous secret. Null if they are not.'),
    ),
    responsible: Type.String({
      description:
        'Who created the endpoint, or enabled it last: the email address of a person, the ID of an API key, or `operator` for ' +
        '`colophon-server admin`. The ID of the person if their account was deleted. The endpoint is disabled when they lose access.',
    }),
    createdAt: DateTime('Time at which the endpoint was created.'),
  },
  {
    $id: 'WebhookEndpoint',
    description: 'A receiver of events of a project: a webhook, a chat or an email address.',
    examples: [endpointExample],
  },
)

export const toEndpointResponse = (endpoint: Endpoint): Static<typeof EndpointSchema> => ({
  id: endpoint.id,
  kind: endpoint.kind,
  name: endpoint.name,
  target: endpoint.target,
  events: [...endpoint.events],
  maxPerSecond: endpoint.maxPerSecond,
  isEnabled: endpoint.disabled === null,
  disabledReason: endpoint.disabled?.reason ?? null,
  disabledAt: endpoint.disabled?.at.toISOString() ?? null,
  failingSince: endpoint.failingSince?.toISOString() ?? null,
  previousSecretExpiresAt: endpoint.previousSecretExpiresAt?.toISOString() ?? null,
  responsible: endpoint.responsible,
  createdAt: endpoint.createdAt.toISOString(),
})
