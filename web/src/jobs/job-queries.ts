import type { AgentJob, ListJobsData } from '@colophon/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { isTurnInProgress } from './job-labels.ts'

export type JobFilters = Pick<NonNullable<ListJobsData['query']>, 'status' | 'outcome' | 'q'>

const pageSize = 30
const refreshEveryMs = 4_000
/** Other people and API clients create jobs as well, and pull requests change on the code host. */
const refreshIdleEveryMs = 15_000

/** Refetched, more often while a job is active, and less often the more pages are loaded. */
export const jobsQuery = (projectId: string, filters: JobFilters) =>
  infiniteQueryOptions({
    queryKey: ['jobs', projectId, filters],
    queryFn: ({ pageParam, signal }) =>
      client.jobs.list(projectId, { ...filters, limit: pageSize, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ jobs }) => jobs.some(({ status }) => status === 'active'))
        ? refreshEveryMs * data.pages.length
        : refreshIdleEveryMs * (data?.pages.length ?? 1),
  })

export const jobQuery = (projectId: string, jobId: string) =>
  queryOptions({
    queryKey: ['job', projectId, jobId],
    queryFn: ({ signal }) => client.jobs.get(projectId, jobId, { signal }),
    refetchInterval: ({ state: { data } }) => data && refreshIntervalMs(data),
  })

/** While the pull request is open, CI checks report, and comments on it become messages. Several owners can approve a result. */
export function refreshIntervalMs({ status, pullRequest, approval }: AgentJob): number | false {
  if (status === 'active') return refreshEveryMs
  return pullRequest?.state === 'open' || approval !== null ? refreshIdleEveryMs : false
}

export const messagesQuery = (projectId: string, jobId: string, refreshMs: number | false) =>
  queryOptions({
    queryKey: ['job', projectId, jobId, 'messages'],
    queryFn: ({ signal }) => client.jobs.messages(projectId, jobId, {}, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.messages.some(isTurnInProgress) ? refreshEveryMs : refreshMs),
  })

/** Their turns have ended, so they are loaded once. */
export const earlierMessagesQuery = (projectId: string, jobId: string, before: number) =>
  infiniteQueryOptions({
    queryKey: ['job', projectId, jobId, 'messages', 'before', before],
    queryFn: ({ pageParam, signal }) => client.jobs.messages(projectId, jobId, { before: pageParam }, { signal }),
    initialPageParam: before,
    getNextPageParam: ({ nextBefore }) => nextBefore,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** One entry per `updatedAt`: the diff changes only when the job does. */
export const diffQuery = (projectId: string, jobId: string, updatedAt: string) =>
  queryOptions({
    queryKey: ['job', projectId, jobId, 'diff', updatedAt],
    queryFn: ({ signal }) => client.jobs.diff(projectId, jobId, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (previous) => previous,
  })

export const modelsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['models', projectId],
    queryFn: ({ signal }) => client.jobs.models(projectId, { signal }),
  })
