/** Reports on a project's views: combines the project's settings, the counts, and whether the traffic was measured. */
import type { Readable } from 'node:stream'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { AnalyticsSiteCache } from '../settings/analytics-site-cache.ts'
import type { AiScope } from './ai-scope.ts'
import {
  type ClickhouseQueryClient,
  ClickhouseQueryLimit,
  downloadLimits,
  queryLimits,
} from './clickhouse-query-limit.ts'
import { type Coverage, findCoverage } from './find-coverage.ts'
import { type ClientViews, listClientsByViews } from './list-clients.ts'
import { listSourceCoverage, type SourceCoverage } from './list-source-coverage.ts'
import { listPagesByViews, type PagesByViews } from './list-views.ts'
import { type LiveEvent, listCountedEvents, listDroppedEvents, sortNewestFirst } from './live-events.ts'
import type { PageFilter } from './page-filter.ts'
import { queryTimeseries, type TimePoint, type TimeseriesQuery } from './query-timeseries.ts'
import { readSourceActivity, type SourceActivity } from './source-activity.ts'
import { streamPagesByDay, streamPagesByViews } from './stream-pages.ts'
import { clampToRetention, type TimeRange } from './time-range.ts'

/** A caller's query. The project's settings apply where `aiScope` is undefined. */
export interface ViewReportQuery {
  range: TimeRange
  aiScope: AiScope | undefined
}

export class ViewReportReader {
  readonly #queries: ClickhouseQueryLimit
  readonly #downloads: ClickhouseQueryLimit
  readonly #db: Database
  readonly #sites: AnalyticsSiteCache

  constructor(clickhouse: ClickhouseQueryClient, db: Database, sites: AnalyticsSiteCache) {
    this.#queries = new ClickhouseQueryLimit(clickhouse, queryLimits)
    this.#downloads = new ClickhouseQueryLimit(clickhouse, downloadLimits)
    this.#db = db
    this.#sites = sites
  }

  async list(
    projectId: Id<'prj'>,
    { pages, limit, offset, ...query }: ViewReportQuery & { pages: PageFilter; limit: number; offset: number },
  ): Promise<PagesByViews & { coverage: Coverage }> {
    const { range, ai } = await this.#applySettings(projectId, query)
    const [page, coverage] = await Promise.all([
      this.#queries.run(projectId, (clickhouse) =>
        listPagesByViews(clickhouse, { projectId, range, ai, pages, limit, offset }),
      ),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { ...page, coverage }
  }

  /** Streams every page in the order of the list, as lines of CSV. */
  async streamPages(projectId: Id<'prj'>, query: ViewReportQuery): Promise<Readable> {
    const { range, ai } = await this.#applySettings(projectId, query)
    return this.#downloads.openStream(projectId, (clickhouse) =>
      streamPagesByViews(clickhouse, { projectId, range, ai }),
    )
  }

  /** Streams the counts of every day and page, oldest first, as lines of CSV without a header. */
  async streamDays(projectId: Id<'prj'>): Promise<Readable> {
    return this.#downloads.openStream(projectId, (clickhouse) => streamPagesByDay(clickhouse, projectId))
  }

  async timeseries(
    projectId: Id<'prj'>,
    { step, timeZone, path, ...query }: ViewReportQuery & Pick<TimeseriesQuery, 'step' | 'timeZone' | 'path'>,
  ): Promise<{ points: TimePoint[]; coverage: Coverage }> {
    const { range, ai } = await this.#applySettings(projectId, query)
    const [points, coverage] = await Promise.all([
      this.#queries.run(projectId, (clickhouse) =>
        queryTimeseries(clickhouse, { projectId, range, ai, step, timeZone, path }),
      ),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { points, coverage }
  }

  async clients(
    projectId: Id<'prj'>,
    { path, ...query }: Pick<ViewReportQuery, 'range'> & { path: string | undefined },
  ): Promise<{ clients: ClientViews[]; coverage: Coverage }> {
    const { range } = await this.#applySettings(projectId, { ...query, aiScope: undefined })
    const [clients, coverage] = await Promise.all([
      this.#queries.run(projectId, (clickhouse) => listClientsByViews(clickhouse, { projectId, range, path })),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { clients, coverage }
  }

  /** Uses only PostgreSQL, so it works while ClickHouse is down. */
  async coverage(projectId: Id<'prj'>, requestedRange: TimeRange): Promise<Coverage & { sources: SourceCoverage[] }> {
    const { range } = await this.#applySettings(projectId, { range: requestedRange, aiScope: undefined })
    const [coverage, sources] = await Promise.all([
      findCoverage(this.#db, { projectId, range }),
      listSourceCoverage(this.#db, projectId),
    ])
    return { ...coverage, sources }
  }

  /** Uses only PostgreSQL too. */
  sources(projectId: Id<'prj'>): Promise<SourceActivity> {
    return readSourceActivity(this.#db, projectId)
  }

  async listLiveEvents(projectId: Id<'prj'>): Promise<LiveEvent[]> {
    const [counted, dropped] = await Promise.all([
      this.#queries.run(projectId, (clickhouse) => listCountedEvents(clickhouse, projectId)),
      listDroppedEvents(this.#db, projectId),
    ])
    return sortNewestFirst([...counted, ...dropped])
  }

  async #applySettings(projectId: Id<'prj'>, { range, aiScope: ai }: ViewReportQuery) {
    const { settings } = await this.#sites.findByProject(projectId)
    return { range: clampToRetention(range, settings.retentionMonths, new Date()), ai: ai ?? settings.aiScope }
  }
}
