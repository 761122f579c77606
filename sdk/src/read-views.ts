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
import type { CallOptions } from './request.ts'

export type ViewReadCalls = ReturnType<typeof createViewReadCalls>

export const createViewReadCalls = (call: OperationCaller) => ({
  /** Pages by number of views, highest first. If `hasMore`, the next page begins at `offset` + `limit`. */
  list: (projectId: string, query: NonNullable<ListViewsData['query']> = {}, options?: CallOptions) =>
    call<ListViewsData, ViewsResult>(
      'GET',
      { url: '/v1/analytics/{projectId}/views', path: { projectId }, query },
      options,
    ),

  /** Views per interval of a time zone, without gaps. */
  timeseries: (projectId: string, query: NonNullable<GetViewTimeseriesData['query']> = {}, options?: CallOptions) =>
    call<GetViewTimeseriesData, ViewsTimeseries>(
      'GET',
      { url: '/v1/analytics/{projectId}/views/timeseries', path: { projectId }, query },
      options,
    ),

  /** Views by client name, including search engines and other bots. */
  clients: (projectId: string, query: NonNullable<ListClientsData['query']> = {}, options?: CallOptions) =>
    call<ListClientsData, ListClientsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/clients', path: { projectId }, query },
      options,
    ),

  /** Whether any source could have seen the traffic of a range. */
  coverage: (projectId: string, query: NonNullable<GetCoverageData['query']> = {}, options?: CallOptions) =>
    call<GetCoverageData, GetCoverageResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/coverage', path: { projectId }, query },
      options,
    ),

  /** When each source last reported, and how many of its events were counted or dropped. */
  sources: (projectId: string, options?: CallOptions) =>
    call<ListSourcesData, ViewSources>(
      'GET',
      { url: '/v1/analytics/{projectId}/sources', path: { projectId } },
      options,
    ),

  /** The most recent events of the last 15 minutes, newest first. */
  liveEvents: (projectId: string, options?: CallOptions) =>
    call<ListLiveEventsData, ListLiveEventsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/live-events', path: { projectId } },
      options,
    ),

  /** How a client would be classified, and why. */
  classify: (projectId: string, query: NonNullable<ClassifyClientData['query']>, options?: CallOptions) =>
    call<ClassifyClientData, ClientClassification>(
      'GET',
      { url: '/v1/analytics/{projectId}/classify', path: { projectId }, query },
      options,
    ),
})
