import { queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'

/** `month`: like `2026-11`. Undefined: the current one. */
export const projectSpendQuery = (projectId: string, month?: string) =>
  queryOptions({
    queryKey: ['spend', projectId, month],
    queryFn: ({ signal }) => client.spend.project(projectId, month === undefined ? {} : { month }, { signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  })

export const instanceSpendQuery = (month?: string) =>
  queryOptions({
    queryKey: ['instance-spend', month],
    queryFn: ({ signal }) => client.spend.instance(month === undefined ? {} : { month }, { signal }),
    staleTime: 30_000,
    refetchInterval: 60_000,
  })
