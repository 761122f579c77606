import type { ViewsTimeseries } from '@colophon/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { toMeasuredSince } from './measured-since.ts'
import type { DateRange, Period } from './period.ts'
import type { AnalyticsSearchParams } from './search.ts'

type Ai = AnalyticsSearchParams['ai']

export interface ViewSeries extends Pick<ViewsTimeseries, 'points' | 'coverage'> {
  period: Period
}

export const pagesPerList = 20

/** Keeps showing the previous result until the next one has loaded. Refetches ongoing ranges every minute. */
const displayOptions = ({ dateTo }: DateRange) =>
  ({ placeholderData: keepPreviousData, refetchInterval: Date.parse(dateTo) > Date.now() ? 60_000 : false }) as const

const aiScopeQuery = (ai: Ai) => (ai === undefined ? {} : { aiScope: ai })

export const pagesQuery = (
  projectId: string,
  { dates, ai, q, list = 1 }: { dates: DateRange; ai: Ai; q?: string | undefined; list?: number | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'pages', dates, ai, q, list],
    queryFn: ({ signal }) =>
      client.views.list(
        projectId,
        {
          ...dates,
          ...aiScopeQuery(ai),
          ...(q !== undefined && { q }),
          limit: pagesPerList,
          offset: (list - 1) * pagesPerList,
        },
        { signal },
      ),
    ...displayOptions(dates),
  })

/** Only the totals, of all pages or of one. */
export const totalsQuery = (
  projectId: string,
  { dates, ai, path }: { dates: DateRange; ai: Ai; path?: string | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'totals', dates, ai, path],
    queryFn: ({ signal }) =>
      client.views.list(
        projectId,
        { ...dates, ...aiScopeQuery(ai), ...(path !== undefined && { path }), limit: 1 },
        { signal },
      ),
    ...displayOptions(dates),
  })

export const viewSeriesQuery = (
  projectId: string,
  { period, ai, path }: { period: Period; ai: Ai; path?: string | undefined },
) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'series', period.dates, period.interval, period.zone, ai, path],
    queryFn: async ({ signal }): Promise<ViewSeries> => {
      const { dates, interval, zone: timeZone } = period
      const query = { ...dates, ...aiScopeQuery(ai), ...(path !== undefined && { path }), interval, timeZone }
      const { points, coverage } = await client.views.timeseries(projectId, query, { signal })
      // Omits intervals that are still in the future. The period is part of the result, so that a previous result keeps its own labels.
      return { points: points.filter(({ at }) => Date.parse(at) <= Date.now()), coverage, period }
    },
    ...displayOptions(period.dates),
  })

export const clientsQuery = (projectId: string, { dates, path }: { dates: DateRange; path?: string | undefined }) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'clients', dates, path],
    queryFn: ({ signal }) =>
      client.views.clients(projectId, { ...dates, ...(path !== undefined && { path }) }, { signal }),
    ...displayOptions(dates),
  })

export const measuredSinceQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'measured-since'],
    queryFn: async ({ signal }) => toMeasuredSince((await client.views.sources(projectId, { signal })).measuredSince),
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

export const liveEventsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'live'],
    queryFn: ({ signal }) => client.views.liveEvents(projectId, { signal }),
    refetchInterval: 3_000,
  })

/** Refetched every few seconds while a drain waits for its first logs. */
export const logDrainsQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'log-drains'],
    queryFn: ({ signal }) => client.views.logDrains(projectId, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.logDrains.some(({ firstEventAt }) => firstEventAt === null) ? 3_000 : 60_000,
  })

export const siteKeysQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['analytics', projectId, 'site-keys'],
    queryFn: ({ signal }) => client.views.siteKeys(projectId, { signal }),
  })
