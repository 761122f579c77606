/** Questions of a page, asked while its code is still on its way: they are answered by the time it asks them itself. */
import type { QueryClient } from '@tanstack/react-query'
import { periodOf } from './period.ts'
import { clientsQuery, measuredSinceQuery, pagesQuery, seriesQuery, totalsQuery, viewSettingsQuery } from './queries.ts'
import type { AnalyticsSearch } from './search.ts'
import { thisMinute } from './this-minute.ts'

interface Opened {
  context: { queryClient: QueryClient }
  params: { projectId: string }
  deps: AnalyticsSearch
}

export function prefetchOverview({ context: { queryClient }, params: { projectId }, deps: search }: Opened): void {
  const period = periodOf(search, thisMinute())
  const { ai, q, list } = search
  void queryClient.prefetchQuery(pagesQuery(projectId, { dates: period.dates, ai }))
  if (q !== undefined || list !== undefined)
    void queryClient.prefetchQuery(pagesQuery(projectId, { dates: period.dates, ai, q, list }))
  void queryClient.prefetchQuery(viewSettingsQuery(projectId))
}

export function prefetchOnePage({ context: { queryClient }, params: { projectId }, deps: search }: Opened): void {
  const period = periodOf(search, thisMinute())
  const { ai, path } = search
  if (path === undefined) return
  void queryClient.prefetchQuery(totalsQuery(projectId, { dates: period.dates, ai, path }))
  void queryClient.prefetchQuery(seriesQuery(projectId, { period, ai, path }))
  void queryClient.prefetchQuery(clientsQuery(projectId, { dates: period.dates, path }))
  void queryClient.prefetchQuery(totalsQuery(projectId, { dates: period.before, ai, path }))
  void queryClient.prefetchQuery(measuredSinceQuery(projectId))
}

export function prefetchClients({ context: { queryClient }, params: { projectId }, deps: search }: Opened): void {
  void queryClient.prefetchQuery(clientsQuery(projectId, { dates: periodOf(search, thisMinute()).dates }))
}
