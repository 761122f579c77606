import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

export const peopleQuery = infiniteQueryOptions({
  queryKey: ['people'],
  queryFn: ({ pageParam, signal }) =>
    client.people.list({ limit: 100, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor,
})

export const instanceAuditQuery = infiniteQueryOptions({
  queryKey: ['audit', 'instance'],
  queryFn: ({ pageParam, signal }) =>
    client.audit.listInstance({ limit: 30, ...(pageParam !== null && { cursor: pageParam }) }, { signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor,
})

export const personCreatedAccessQuery = (personId: string) =>
  queryOptions({
    queryKey: ['people', personId, 'created'],
    queryFn: ({ signal }) => client.people.listCreated(personId, { signal }),
  })
