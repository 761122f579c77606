import Type from 'typebox'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { Sealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import type { DeliveryStore } from '../../webhooks/delivery-store.ts'
import { composePayload, type EndpointKind } from '../../webhooks/endpoint.ts'
import type { EndpointStore } from '../../webhooks/endpoint-store.ts'
import { generateWebhookSecret } from '../../webhooks/sign-webhook.ts'
import { CursorQuery, NextCursor, readCursorPage } from '../cursor-page.ts'
import { defineRoute, type Route } from '../route.ts'
import { IdParam, nullable, ProjectParams } from '../schemas.ts'
import {
  AttemptSchema,
  attemptExample,
  DeliverySchema,
  DeliveryStatusSchema,
  deliveryExample,
  toAttemptResponse,
  toDeliveryResponse,
} from './delivery.ts'
import {
  EndpointEvents,
  EndpointKindSchema,
  EndpointName,
  EndpointSchema,
  endpointExample,
  MaxPerSecond,
  toEndpointResponse,
} from './endpoint.ts'

export interface EndpointRouteDeps {
  endpoints: EndpointStore
  endpointDeliveries: DeliveryStore
  /** Seals the secrets of endpoints, which only `worker` can open. */
  endpointSealer: Sealer
  canSendEmail: boolean
}

const EndpointParams = Type.Object({
  ...ProjectParams.properties,
  endpointId: IdParam('ID of the endpoint.', endpointExample.id),
})

const DeliveryParams = Type.Object({
  ...EndpointParams.properties,
  deliveryId: IdParam('ID of the delivery.', deliveryExample.id),
})

const Endpoints = Type.Object(
  { endpoints: Type.Array(EndpointSchema, { description: 'Endpoints of the project, newest first.' }) },
  { examples: [{ endpoints: [endpointExample] }] },
)

const Secret = Type.String({
  description:
    'Secret that requests are signed with, as in Standard Webhooks. Only this response contains it, so store it now.',
})

const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwK2nTzQ8rW2o='

export const endpointRoutes = ({
  endpoints,
  endpointDeliveries: deliveries,
  endpointSealer: sealer,
  canSendEmail,
}: EndpointRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/webhooks',
    access: 'project:read',
    name: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List endpoints',
    description: 'Returns the endpoints that receive events of the project, newest first.',
    schemas: { params: ProjectParams, responses: { 200: Endpoints } },
    handle: async ({ projectId }) =>
      createResponse(200, { endpoints: (await endpoints.list(projectId)).map(toEndpointResponse) }),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/webhooks',
    access: 'project:write',
    name: 'createWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Create an endpoint',
    description:
      'From now on, events of the given types are sent to the endpoint. Only this response contains the secret that the requests ' +
      'to a webhook are signed with. A project can have 200 endpoints.',
    requiresRecentSignIn: true,
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        {
          kind: EndpointKindSchema,
          name: EndpointName,
          target: Type.String({
            minLength: 1,
            maxLength: 2000,
            description:
              'URL of the webhook or of the chat, or the email address of a member who has joined the project. The URL of a chat is ' +
              'stored encrypted and not returned again.',
          }),
          events: EndpointEvents,
          maxPerSecond: Type.Optional(MaxPerSecond),
        },
        {
          additionalProperties: false,
          examples: [
            {
              kind: 'webhook',
              name: endpointExample.name,
              target: endpointExample.target,
              events: [...endpointExample.events],
            },
          ],
        },
      ),
      responses: {
        201: Type.Object(
          {
            endpoint: EndpointSchema,
            secret: nullable(Secret, {
              description:
                'Secret that requests are signed with, as in Standard Webhooks. Only this response contains it, so store it now. Null ' +
                'unless the endpoint is a webhook.',
            }),
          },
          { examples: [{ endpoint: endpointExample, secret: exampleSecret }] },
        ),
      },
    },
    async handle({ projectId, body, actor }) {
      const { kind, name, events, maxPerSecond } = body
      const { target, chatUrl } = parseTarget(kind, body.target, canSendEmail)
      const signingSecret = kind === 'webhook' ? generateWebhookSecret() : null
      const endpoint = await endpoints.create(
        projectId,
        { kind, name, target, events, maxPerSecond, secret: signingSecret ?? chatUrl },
        sealer,
        actor,
      )
      return createResponse(201, { endpoint: toEndpointResponse(endpoint), secret: signingSecret })
    },
  }),
  defineRoute({
    method: 'PATCH',
    url: '/v2/projects/:projectId/webhooks/:endpointId',
    access: 'project:write',
    name: 'changeWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Change, enable or disable an endpoint',
    description:
      'Changes what is given. While an endpoint is disabled, new events are not queued for it; what was queued before is sent when ' +
      'it is enabled again, unless it is older than three days. Who enables an endpoint is responsible for it from then on.',
    schemas: {
      params: EndpointParams,
      body: Type.Object(
        {
          name: Type.Optional(EndpointName),
          events: Type.Optional(EndpointEvents),
          maxPerSecond: Type.Optional(MaxPerSecond),
          isEnabled: Type.Optional(Type.Boolean({ description: 'Whether events are sent to the endpoint.' })),
        },
        { additionalProperties: false, minProperties: 1, examples: [{ isEnabled: true }] },
      ),
      responses: { 200: EndpointSchema },
    },
    handle: async ({ projectId, params, body, actor }) =>
      createResponse(200, toEndpointResponse(await endpoints.change(projectId, params.endpointId, body, actor))),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/webhooks/:endpointId/rotate',
    access: 'project:write',
    name: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret of a webhook',
    description:
      'Creates a new secret, which only this response contains. During the overlap, requests are signed with the new and with the ' +
      'previous secret, so that you can replace it without interruption.',
    requiresRecentSignIn: true,
    schemas: {
      params: EndpointParams,
      body: Type.Object(
        {
          overlapHours: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 168,
              default: 24,
              description: 'How long requests are also signed with the previous secret, at most 7 days.',
            }),
          ),
        },
        { additionalProperties: false, examples: [{ overlapHours: 24 }] },
      ),
      responses: {
        200: Type.Object(
          { endpoint: EndpointSchema, secret: Secret },
          {
            examples: [
              {
                endpoint: { ...endpointExample, previousSecretExpiresAt: '2026-02-01T12:34:56.000Z' },
                secret: exampleSecret,
              },
            ],
          },
        ),
      },
    },
    async handle({ projectId, params, body: { overlapHours = 24 }, actor }) {
      const secret = generateWebhookSecret()
      const rotation = { secret, overlapHours }
      const endpoint = await endpoints.rotateSecret(projectId, params.endpointId, rotation, sealer, actor)
      return createResponse(200, { endpoint: toEndpointResponse(endpoint), secret })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/webhooks/:endpointId/test',
    access: 'project:write',
    name: 'testWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Queues an event of type `webhook.test` for the endpoint. Get the delivery to see the response.',
    schemas: { params: EndpointParams, responses: { 201: DeliverySchema } },
    handle: async ({ projectId, params }) =>
      createResponse(201, toDeliveryResponse(await deliveries.sendTest(projectId, params.endpointId))),
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/webhooks/:endpointId',
    access: 'project:write',
    name: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete an endpoint',
    description:
      'Deletes the endpoint, what is queued for it and its delivery log. Deleting it again changes nothing. Returns the remaining endpoints.',
    schemas: { params: EndpointParams, responses: { 200: Endpoints } },
    async handle({ projectId, params, actor }) {
      await endpoints.delete(projectId, params.endpointId, actor)
      return createResponse(200, { endpoints: (await endpoints.list(projectId)).map(toEndpointResponse) })
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/webhooks/:endpointId/deliveries',
    access: 'project:read',
    name: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'List deliveries',
    description:
      'Returns the deliveries of the last 30 days to an endpoint, newest first. To get the next page, repeat the request with ' +
      '`nextCursor` as `cursor`.',
    schemas: {
      params: EndpointParams,
      query: Type.Object(
        { ...CursorQuery('dlv').properties, status: Type.Optional(DeliveryStatusSchema) },
        { additionalProperties: false },
      ),
      responses: {
        200: Type.Object(
          {
            deliveries: Type.Array(DeliverySchema, { description: 'Deliveries to the endpoint, newest first.' }),
            nextCursor: NextCursor,
          },
          { examples: [{ deliveries: [deliveryExample], nextCursor: null }] },
        ),
      },
    },
    async handle({ projectId, params, query: { status, ...page } }) {
      const { items, nextCursor } = await readCursorPage(page, ({ limit, before }) =>
        deliveries.list(projectId, params.endpointId, { status, limit, before }),
      )
      return createResponse(200, { deliveries: items.map(toDeliveryResponse), nextCursor })
    },
  }),
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/webhooks/:endpointId/deliveries/:deliveryId',
    access: 'project:read',
    name: 'getWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Get a delivery',
    description: 'Returns a delivery with its payload and all requests that were sent.',
    schemas: {
      params: DeliveryParams,
      responses: {
        200: Type.Object(
          {
            delivery: DeliverySchema,
            payload: Type.String({
              description:
                'The event as JSON: the body of the requests to a webhook. Messages to chats are composed from it.',
            }),
            attempts: Type.Array(AttemptSchema, { description: 'Requests that were sent, in order.' }),
          },
          {
            examples: [
              {
                delivery: deliveryExample,
                payload: '{"type":"job.completed","timestamp":"2026-01-31T12:34:56.000Z","data":{}}',
                attempts: [attemptExample],
              },
            ],
          },
        ),
      },
    },
    async handle({ projectId, params }) {
      const { delivery, event, attempts } = await deliveries.get(projectId, params.endpointId, params.deliveryId)
      return createResponse(200, {
        delivery: toDeliveryResponse(delivery),
        payload: composePayload(event),
        attempts: attempts.map(toAttemptResponse),
      })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/webhooks/:endpointId/deliveries/:deliveryId/resend',
    access: 'project:write',
    name: 'resendWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Send an event again',
    description:
      'Queues a new delivery of the same event, with the same `webhook-id`, so that a receiver that has processed the event can ' +
      'recognize it. It does not wait for other deliveries.',
    schemas: { params: DeliveryParams, responses: { 201: DeliverySchema } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(
        201,
        toDeliveryResponse(await deliveries.resend(projectId, params.endpointId, params.deliveryId, actor)),
      ),
  }),
]

/** `target` is shown. The URL of a chat is a secret, so only its host is. */
function parseTarget(
  kind: EndpointKind,
  target: string,
  canSendEmail: boolean,
): { target: string; chatUrl: string | null } {
  if (kind === 'email') {
    if (!canSendEmail)
      throw invalidTarget('cannot be an email address: this instance has no SMTP server. Use a webhook or a chat')
    return { target: target.toLowerCase(), chatUrl: null }
  }
  const url = URL.parse(target)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw invalidTarget('is not a URL that starts with https://')
  if (url.username || url.password) throw invalidTarget('must not contain a user name or password')
  return kind === 'webhook' ? { target: url.href, chatUrl: null } : { target: url.host, chatUrl: url.href }
}

const invalidTarget = (message: string) =>
  new Problem('invalid_request', `body/target ${message}.`, { errors: [{ path: 'body/target', message }] })
