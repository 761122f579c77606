/** Starts the queries of a page while its code is still loading. */
import type { QueryClient } from '@tanstack/react-query'
import { readCurrentMinute } from './current-minute.ts'
import { toPeriod } from './period.ts'
import {
  clientsQuery,
  measuredSinceQuery,
  pagesQuery,
  totalsQuery,
  viewSeriesQuery,
  viewSettingsQuery,
} from './queries.ts'
import type { AnalyticsSearchParams } from './search.ts'

interface LoaderArgs {
  context: { queryClient: QueryClient }
  params: { projectId: string }
  deps: AnalyticsSearchParams
}

export function prefetchOverview({ context: { queryClient }, params: { projectId }, deps: search }: LoaderArgs): void {
  const period = toPeriod(search, readCurrentMinute())
  const { ai, q, list } = search
  void queryClient.prefetchQuery(pagesQuery(projectId, { dates: period.dates, ai }))
  if (q !== undefined || list !== undefined)
    void queryClient.prefetchQuery(pagesQuery(projectId, { dates: period.dates, ai, q, list }))
  void queryClient.prefetchQuery(viewSettingsQuery(projectId))
}

export function prefetchPageDetails({
  context: { queryClient },
  params: { projectId },
  deps: search,
}: LoaderArgs): void {
  const period = toPeriod(search, readCurrentMinute())
  const { ai, path } = search
  if (path === undefined) return
  void queryClient.prefetchQuery(totalsQuery(projectId, { dates: period.dates, ai, path }))
  void queryClient.prefetchQuery(viewSeriesQuery(projectId, { period, ai, path }))
  void queryClient.prefetchQuery(clientsQuery(projectId, { dates: period.dates, path }))
  void queryClient.prefetchQuery(totalsQuery(projectId, { dates: period.previous, ai, path }))
  void queryClient.prefetchQuery(measuredSinceQuery(projectId))
}

export function prefetchClients({ context: { queryClient }, params: { projectId }, deps: search }: LoaderArgs): void {
  void queryClient.prefetchQuery(clientsQuery(projectId, { dates: toPeriod(search, readCurrentMinute()).dates }))
}
