import type { AgentJob } from '@colophon/sdk'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { projectRoute } from '../app/roots.tsx'
import { outcomeLabels } from './job-labels.ts'
import { type JobFilters, jobQuery, jobsQuery, messagesQuery } from './job-queries.ts'

const statuses: readonly string[] = ['active', 'completed', 'failed', 'archived'] satisfies AgentJob['status'][]
const outcomes: readonly string[] = Object.keys(outcomeLabels)

/** Invalid filters in the URL are ignored: the page shows all jobs instead of an error. */
const parseFilters = ({ status, outcome, q }: Record<string, unknown>): JobFilters => ({
  ...(statuses.includes(String(status)) && { status: status as AgentJob['status'] }),
  ...(outcomes.includes(String(outcome)) && { outcome: outcome as NonNullable<AgentJob['outcome']> }),
  ...((typeof q === 'string' || typeof q === 'number') && String(q).trim() !== '' && { q: String(q).slice(0, 200) }),
})

export const jobsRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/jobs',
    validateSearch: parseFilters,
    loaderDeps: ({ search }) => search,
    loader: ({ context: { queryClient }, params: { projectId }, deps }) =>
      void queryClient.prefetchInfiniteQuery(jobsQuery(projectId, deps)), // started, not awaited
    component: lazyRouteComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/jobs/new',
    component: lazyRouteComponent(() => import('./new-job-page.tsx'), 'NewJobPage'),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/jobs/$jobId',
    validateSearch: ({ show }: Record<string, unknown>): { show?: 'changes' } => (show === 'changes' ? { show } : {}),
    loader: ({ context: { queryClient }, params: { projectId, jobId } }) => {
      void queryClient.prefetchQuery(jobQuery(projectId, jobId))
      void queryClient.prefetchQuery(messagesQuery(projectId, jobId, false))
    },
    component: lazyRouteComponent(() => import('./job-page.tsx'), 'JobPage'),
  }),
] as const
