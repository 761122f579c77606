import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

export const endpointsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['webhooks', projectId],
    queryFn: ({ signal }) => client.webhooks.list(projectId, { signal }),
  })

export const deliveriesQuery = (projectId: string, endpointId: string) =>
  infiniteQueryOptions({
    queryKey: ['webhook-deliveries', projectId, endpointId],
    queryFn: ({ pageParam, signal }) =>
      client.webhooks.listDeliveries(
        projectId,
        endpointId,
        { limit: 30, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 5_000, // so that a test event soon shows its response
  })

export const deliveryQuery = (projectId: string, endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhook-delivery', projectId, endpointId, deliveryId],
    queryFn: ({ signal }) => client.webhooks.getDelivery(projectId, endpointId, deliveryId, { signal }),
    refetchInterval: ({ state }) => (state.data?.delivery.status === 'pending' ? 3_000 : false),
  })
