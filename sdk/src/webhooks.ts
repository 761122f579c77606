import type {
  ChangeWebhookEndpointData,
  ChangeWebhookEndpointResponse,
  CreateWebhookEndpointData,
  CreateWebhookEndpointResponse,
  DeleteWebhookEndpointData,
  DeleteWebhookEndpointResponse,
  GetWebhookDeliveryData,
  GetWebhookDeliveryResponse,
  ListWebhookDeliveriesData,
  ListWebhookDeliveriesResponse,
  ListWebhookEndpointsData,
  ListWebhookEndpointsResponse,
  ResendWebhookDeliveryData,
  ResendWebhookDeliveryResponse,
  RotateWebhookSecretData,
  RotateWebhookSecretResponse,
  TestWebhookEndpointData,
  TestWebhookEndpointResponse,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import type { CallOptions } from './request.ts'

export type WebhookCalls = ReturnType<typeof createWebhookCalls>

export const createWebhookCalls = (call: OperationCaller) => ({
  /** All endpoints of the project, newest first. */
  list: (projectId: string, options?: CallOptions) =>
    call<ListWebhookEndpointsData, ListWebhookEndpointsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/webhooks', path: { projectId } },
      options,
    ),

  /** The signing secret of a webhook is only in this response. */
  create: (projectId: string, body: CreateWebhookEndpointData['body'], options?: CallOptions) =>
    call<CreateWebhookEndpointData, CreateWebhookEndpointResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks', path: { projectId }, body },
      options,
    ),

  /** Also enables and disables an endpoint. */
  change: (projectId: string, endpointId: string, body: ChangeWebhookEndpointData['body'], options?: CallOptions) =>
    call<ChangeWebhookEndpointData, ChangeWebhookEndpointResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}', path: { projectId, endpointId }, body },
      options,
    ),

  /** The new secret is only in this response. Requests are signed with both during the overlap. */
  rotateSecret: (projectId: string, endpointId: string, body: RotateWebhookSecretData['body'], options?: CallOptions) =>
    call<RotateWebhookSecretData, RotateWebhookSecretResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}/rotate', path: { projectId, endpointId }, body },
      options,
    ),

  /** Queues a test event. Get the delivery to see the response. */
  test: (projectId: string, endpointId: string, options?: CallOptions) =>
    call<TestWebhookEndpointData, TestWebhookEndpointResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}/test', path: { projectId, endpointId } },
      options,
    ),

  /** With its delivery log. Safe to repeat. Returns the remaining endpoints. */
  delete: (projectId: string, endpointId: string, options?: CallOptions) =>
    call<DeleteWebhookEndpointData, DeleteWebhookEndpointResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}', path: { projectId, endpointId } },
      options,
    ),

  /** Deliveries of the last 30 days, newest first. */
  listDeliveries: (
    projectId: string,
    endpointId: string,
    query: NonNullable<ListWebhookDeliveriesData['query']> = {},
    options?: CallOptions,
  ) =>
    call<ListWebhookDeliveriesData, ListWebhookDeliveriesResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}/deliveries', path: { projectId, endpointId }, query },
      options,
    ),

  /** With the payload and all attempts. */
  getDelivery: (projectId: string, endpointId: string, deliveryId: string, options?: CallOptions) =>
    call<GetWebhookDeliveryData, GetWebhookDeliveryResponse>(
      'GET',
      {
        url: '/v2/projects/{projectId}/webhooks/{endpointId}/deliveries/{deliveryId}',
        path: { projectId, endpointId, deliveryId },
      },
      options,
    ),

  /** Queues the same event again, with the same `webhook-id`. */
  resend: (projectId: string, endpointId: string, deliveryId: string, options?: CallOptions) =>
    call<ResendWebhookDeliveryData, ResendWebhookDeliveryResponse>(
      'POST',
      {
        url: '/v2/projects/{projectId}/webhooks/{endpointId}/deliveries/{deliveryId}/resend',
        path: { projectId, endpointId, deliveryId },
      },
      options,
    ),
})
