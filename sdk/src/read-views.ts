import type {
  ClassifyClientData,
  ClientClassification,
  GetCoverageData,
  GetCoverageResponse,
  GetViewTimeseriesData,
  ListClientsData,
  ListClientsResponse,
  ListLiveEventsData,
  ListLiveEventsResponse,
  ListSourcesData,
  ListViewsData,
  ViewSources,
  ViewsResult,
  ViewsTimeseries,
} from './generated/types.gen.ts'
import type { OperationCaller } from './operation.ts'
import { createPagedList } from './paged-list.ts'
import type { CallOptions } from './request.ts'

export type ViewReadCalls = ReturnType<typeof createViewReadCalls>

export const createViewReadCalls = (call: OperationCaller) => ({
  /**
   * Pages by number of views, highest first. Awaited, one page of the list with the totals; iterated, all pages of the site.
   * @example
   * const { totals, views } = await client.views.list(projectId, { dateFrom: '2026-11-01', limit: 10 })
   */
  list: (projectId: string, query: NonNullable<ListViewsData['query']> = {}, options?: CallOptions) =>
    createPagedList(
      query,
      (query) =>
        call<ListViewsData, ViewsResult>(
          'GET',
          { url: '/v1/analytics/{projectId}/views', path: { projectId }, query },
          options,
        ),
      ({ views, hasMore }, { offset = 0 }) => ({
        items: views,
        next: hasMore ? { offset: offset + views.length } : undefined,
      }),
    ),

  /**
   * Views per interval of a time zone, without gaps.
   * @example
   * const series = await client.views.timeseries(projectId, { dateFrom: '2026-11-01', interval: 'day' })
   */
  timeseries: (projectId: string, query: NonNullable<GetViewTimeseriesData['query']> = {}, options?: CallOptions) =>
    call<GetViewTimeseriesData, ViewsTimeseries>(
      'GET',
      { url: '/v1/analytics/{projectId}/views/timeseries', path: { projectId }, query },
      options,
    ),

  /**
   * Views by client name, including search engines and other bots.
   * @example
   * const { clients } = await client.views.clients(projectId, { dateFrom: '2026-11-01' })
   */
  clients: (projectId: string, query: NonNullable<ListClientsData['query']> = {}, options?: CallOptions) =>
    call<ListClientsData, ListClientsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/clients', path: { projectId }, query },
      options,
    ),

  /**
   * Whether any source could have seen the traffic of a range.
   * @example
   * const coverage = await client.views.coverage(projectId, { dateFrom: '2026-11-01' })
   */
  coverage: (projectId: string, query: NonNullable<GetCoverageData['query']> = {}, options?: CallOptions) =>
    call<GetCoverageData, GetCoverageResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/coverage', path: { projectId }, query },
      options,
    ),

  /**
   * When each source last reported, and how many of its events were counted or dropped.
   * @example
   * const sources = await client.views.sources(projectId)
   */
  sources: (projectId: string, options?: CallOptions) =>
    call<ListSourcesData, ViewSources>(
      'GET',
      { url: '/v1/analytics/{projectId}/sources', path: { projectId } },
      options,
    ),

  /**
   * The most recent events of the last 15 minutes, newest first.
   * @example
   * const { events } = await client.views.liveEvents(projectId)
   */
  liveEvents: (projectId: string, options?: CallOptions) =>
    call<ListLiveEventsData, ListLiveEventsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/live-events', path: { projectId } },
      options,
    ),

  /**
   * How a client would be classified, and why.
   * @example
   * const result = await client.views.classify(projectId, { userAgent: 'ChatGPT-User/1.0' })
   */
  classify: (projectId: string, query: NonNullable<ClassifyClientData['query']>, options?: CallOptions) =>
    call<ClassifyClientData, ClientClassification>(
      'GET',
      { url: '/v1/analytics/{projectId}/classify', path: { projectId }, query },
      options,
    ),
})
