import type { ViewsTimeseries } from '@colophon/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { asMeasuredSince } from './measured-since.ts'
import type { Dates, Period } from './period.ts'
import type { AnalyticsSearch } from './search.ts'

type Ai = AnalyticsSearch['ai']

export interface Series extends Pick<ViewsTimeseries, 'points' | 'coverage'> {
  period: Period
}

export const rowsOfList = 20

/** What is shown stays until there is something newer to show; of a range that is going on there is, each minute. */
const shownOf = ({ dateTo }: Dates) =>
  ({ placeholderData: keepPreviousData, refetchInterval: Date.parse(dateTo) > Date.now() ? 60_000 : false }) as const

const aiOf = (ai: Ai) => (ai === undefined ? {} : { aiScope: ai })

export const pagesQuery = (
  projectId: string,
  { dates, ai, q, list = 1 }: { dates: Dates; ai: Ai; q?: string | undefined; list?: number | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'pages', dates, ai, q, list],
    queryFn: ({ signal }) =>
      client.views.list(
        projectId,
        { ...dates, ...aiOf(ai), ...(q !== undefined && { q }), limit: rowsOfList, offset: (list - 1) * rowsOfList },
        { signal },
      ),
    ...shownOf(dates),
  })

/** Totals alone, of all pages or of one. */
export const totalsQuery = (
  projectId: string,
  { dates, ai, path }: { dates: Dates; ai: Ai; path?: string | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'totals', dates, ai, path],
    queryFn: ({ signal }) =>
      client.views.list(
        projectId,
        { ...dates, ...aiOf(ai), ...(path !== undefined && { path }), limit: 1 },
        { signal },
      ),
    ...shownOf(dates),
  })

export const seriesQuery = (
  projectId: string,
  { period, ai, path }: { period: Period; ai: Ai; path?: string | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'series', period.dates, period.interval, period.zone, ai, path],
    queryFn: async ({ signal }): Promise<Series> => {
      const { dates, interval, zone: timeZone } = period
      const query = { ...dates, ...aiOf(ai), ...(path !== undefined && { path }), interval, timeZone }
      const { points, coverage } = await client.views.timeseries(projectId, query, { signal })
      // Of the rest of today there is nothing to tell. The period stands with its answer: an older one keeps its own labels.
      return { points: points.filter(({ at }) => Date.parse(at) <= Date.now()), coverage, period }
    },
    ...shownOf(period.dates),
  })

export const clientsQuery = (projectId: string, { dates, path }: { dates: Dates; path?: string | undefined }) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'readers', dates, path],
    queryFn: ({ signal }) =>
      client.views.clients(projectId, { ...dates, ...(path !== undefined && { path }) }, { signal }),
    ...shownOf(dates),
  })

export const measuredSinceQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'measured-since'],
    queryFn: async ({ signal }) => asMeasuredSince((await client.views.sources(projectId, { signal })).measuredSince),
    staleTime: 60_000,
  })

export const viewSettingsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'settings'],
    queryFn: ({ signal }) => client.views.settings(projectId, { signal }),
  })

export const sourcesQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'sources'],
    queryFn: ({ signal }) => client.views.sources(projectId, { signal }),
    refetchInterval: 10_000,
  })

export const liveQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'live'],
    queryFn: ({ signal }) => client.views.live(projectId, { signal }),
    refetchInterval: 3_000,
  })

export const siteKeysQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'site-keys'],
    queryFn: ({ signal }) => client.views.siteKeys(projectId, { signal }),
  })
