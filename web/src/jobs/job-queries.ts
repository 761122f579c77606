import type { AgentJob, ListJobsData } from '@colophon/sdk'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { isUnderWay } from './job-words.ts'

export type JobFilters = Pick<NonNullable<ListJobsData['query']>, 'status' | 'outcome' | 'q'>

const pageSize = 30
const refreshEveryMs = 4_000
/** Others, and programs, create jobs too, and a pull request has a life of its own. */
const refreshIdleEveryMs = 15_000

/** Asked for again, sooner while something on it changes; the more pages are open, the less often. */
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
    refetchInterval: ({ state: { data } }) => data && refreshOf(data),
  })

/** While its pull request is open, checks come in, and comments there become messages. */
export function refreshOf({ status, pullRequest }: AgentJob): number | false {
  if (status === 'active') return refreshEveryMs
  return pullRequest?.state === 'open' ? refreshIdleEveryMs : false
}

export const messagesQuery = (projectId: string, jobId: string, refreshMs: number | false) =>
  queryOptions({
    queryKey: ['job', projectId, jobId, 'messages'],
    queryFn: ({ signal }) => client.jobs.messages(projectId, jobId, { signal }),
    refetchInterval: ({ state: { data } }) => (data?.messages.some(isUnderWay) ? refreshEveryMs : refreshMs),
  })

/** Of one state of the job: `updatedAt` says when there may be another. */
export const diffQuery = (projectId: string, jobId: string, updatedAt: string) =>
  queryOptions({
    queryKey: ['job', projectId, jobId, 'diff', updatedAt],
    queryFn: ({ signal }) => client.jobs.diff(projectId, jobId, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  })

export const modelsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['models', projectId],
    queryFn: ({ signal }) => client.jobs.models(projectId, { signal }),
  })
