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
import { createPagedList, nextCursorQuery } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type WebhookCalls = ReturnType<typeof createWebhookCalls>

export const createWebhookCalls = (call: OperationCaller) => ({
  /**
   * All endpoints of the project, newest first.
   * @example
   * const { endpoints } = await client.webhooks.list(projectId)
   */
  list: (projectId: string, options?: CallOptions) =>
    call<ListWebhookEndpointsData, ListWebhookEndpointsResponse>(
      'GET',
      { url: '/v2/projects/{projectId}/webhooks', path: { projectId } },
      options,
    ),

  /**
   * Creates an endpoint. The signing secret of a webhook is only in this response.
   * @example
   * const { secret } = await client.webhooks.create(projectId, {
   *   kind: 'webhook',
   *   name: 'Deploys',
   *   target: 'https://example.com/hooks/colophon',
   *   events: ['job.completed', 'job.failed'],
   * })
   */
  create: (projectId: string, body: CreateWebhookEndpointData['body'], options?: CallOptions) =>
    call<CreateWebhookEndpointData, CreateWebhookEndpointResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks', path: { projectId }, body },
      options,
    ),

  /**
   * Changes an endpoint. Also enables and disables it.
   * @example
   * await client.webhooks.change(projectId, endpointId, { isEnabled: false })
   */
  change: (projectId: string, endpointId: string, body: ChangeWebhookEndpointData['body'], options?: CallOptions) =>
    call<ChangeWebhookEndpointData, ChangeWebhookEndpointResponse>(
      'PATCH',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}', path: { projectId, endpointId }, body },
      options,
    ),

  /**
   * Creates another signing secret, which is only in this response. Requests are signed with both during the overlap.
   * @example
   * const { secret } = await client.webhooks.rotateSecret(projectId, endpointId, {})
   */
  rotateSecret: (projectId: string, endpointId: string, body: RotateWebhookSecretData['body'], options?: CallOptions) =>
    call<RotateWebhookSecretData, RotateWebhookSecretResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}/rotate', path: { projectId, endpointId }, body },
      options,
    ),

  /**
   * Queues a test event. Get the delivery to see the response.
   * @example
   * await client.webhooks.test(projectId, endpointId)
   */
  test: (projectId: string, endpointId: string, options?: CallOptions) =>
    call<TestWebhookEndpointData, TestWebhookEndpointResponse>(
      'POST',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}/test', path: { projectId, endpointId } },
      options,
    ),

  /**
   * Deletes an endpoint with its delivery log. Safe to repeat. Returns the remaining endpoints.
   * @example
   * await client.webhooks.delete(projectId, endpointId)
   */
  delete: (projectId: string, endpointId: string, options?: CallOptions) =>
    call<DeleteWebhookEndpointData, DeleteWebhookEndpointResponse>(
      'DELETE',
      { url: '/v2/projects/{projectId}/webhooks/{endpointId}', path: { projectId, endpointId } },
      options,
    ),

  /**
   * Deliveries of the last 30 days, newest first. Awaited, one page; iterated, all of them.
   * @example
   * for await (const { id, status } of client.webhooks.listDeliveries(projectId, endpointId)) console.log(id, status)
   */
  listDeliveries: (
    projectId: string,
    endpointId: string,
    query: NonNullable<ListWebhookDeliveriesData['query']> = {},
    options?: CallOptions,
  ) =>
    createPagedList(
      query,
      (query) =>
        call<ListWebhookDeliveriesData, ListWebhookDeliveriesResponse>(
          'GET',
          { url: '/v2/projects/{projectId}/webhooks/{endpointId}/deliveries', path: { projectId, endpointId }, query },
          options,
        ),
      (page) => ({ items: page.deliveries, next: nextCursorQuery(page) }),
    ),

  /**
   * One delivery, with the payload and all attempts.
   * @example
   * const { attempts } = await client.webhooks.getDelivery(projectId, endpointId, deliveryId)
   */
  getDelivery: (projectId: string, endpointId: string, deliveryId: string, options?: CallOptions) =>
    call<GetWebhookDeliveryData, GetWebhookDeliveryResponse>(
      'GET',
      {
        url: '/v2/projects/{projectId}/webhooks/{endpointId}/deliveries/{deliveryId}',
        path: { projectId, endpointId, deliveryId },
      },
      options,
    ),

  /**
   * Queues the same event again, with the same `webhook-id`.
   * @example
   * await client.webhooks.resend(projectId, endpointId, deliveryId)
   */
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
