import type {
  ClassifyClientData,
  ClientClassification,
  GetCoverageData,
  GetCoverageResponse,
  ListClientsData,
  ListClientsResponse,
  ListLiveEventsData,
  ListLiveEventsResponse,
  ListSourcesData,
  ListViewsData,
  ViewSources,
  ViewsResult,
  ViewsTimeseries,
  ViewTimeseriesData,
} from './generated/types.gen.ts'
import type { CallOperation } from './operation.ts'
import type { CallOptions } from './request.ts'

export type ReadViews = ReturnType<typeof readViews>

export const readViews = (call: CallOperation) => ({
  /** Pages by views, most read first. While `hasMore`, the next page begins at `offset` + `limit`. */
  list: (projectId: string, query: NonNullable<ListViewsData['query']> = {}, options?: CallOptions) =>
    call<ListViewsData, ViewsResult>(
      'GET',
      { url: '/v1/analytics/{projectId}/views', path: { projectId }, query },
      options,
    ),

  /** Without gaps, in steps of a time zone. */
  timeseries: (projectId: string, query: NonNullable<ViewTimeseriesData['query']> = {}, options?: CallOptions) =>
    call<ViewTimeseriesData, ViewsTimeseries>(
      'GET',
      { url: '/v1/analytics/{projectId}/views/timeseries', path: { projectId }, query },
      options,
    ),

  /** Every kind of reader by name, search engines and other bots too. */
  clients: (projectId: string, query: NonNullable<ListClientsData['query']> = {}, options?: CallOptions) =>
    call<ListClientsData, ListClientsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/clients', path: { projectId }, query },
      options,
    ),

  /** Whether anybody looked who could have seen. */
  coverage: (projectId: string, query: NonNullable<GetCoverageData['query']> = {}, options?: CallOptions) =>
    call<GetCoverageData, GetCoverageResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/coverage', path: { projectId }, query },
      options,
    ),

  /** When each source was last heard of, and what became of its events. */
  sources: (projectId: string, options?: CallOptions) =>
    call<ListSourcesData, ViewSources>(
      'GET',
      { url: '/v1/analytics/{projectId}/sources', path: { projectId } },
      options,
    ),

  /** The last events of the last 15 minutes, newest first. */
  live: (projectId: string, options?: CallOptions) =>
    call<ListLiveEventsData, ListLiveEventsResponse>(
      'GET',
      { url: '/v1/analytics/{projectId}/live-events', path: { projectId } },
      options,
    ),

  /** Who a reader would be taken for, and why. */
  classify: (projectId: string, query: NonNullable<ClassifyClientData['query']>, options?: CallOptions) =>
    call<ClassifyClientData, ClientClassification>(
      'GET',
      { url: '/v1/analytics/{projectId}/classify', path: { projectId }, query },
      options,
    ),
})
