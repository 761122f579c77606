/** What a project is told of its views: its settings, what was counted, and whether anybody looked, put together. */
import type { Readable } from 'node:stream'
import type { Kysely } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { KnownSites } from '../settings/known-sites.ts'
import type { AnalyticsTables } from '../tables.ts'
import type { AiMeaning } from './ai-meaning.ts'
import { ClickhouseReads, downloadLimits, type QueryClickhouse, readLimits } from './clickhouse-reads.ts'
import { type Coverage, findCoverage } from './find-coverage.ts'
import { type HeardSources, heardSources } from './heard-sources.ts'
import { type ClientViews, listClients } from './list-clients.ts'
import { listSources, type Source } from './list-sources.ts'
import { listViews, type ViewsPage } from './list-views.ts'
import { countedEvents, droppedEvents, type LiveEvent, newestFirst } from './live-events.ts'
import type { PageFilter } from './page-filter.ts'
import { streamPages } from './stream-pages.ts'
import { keptRange, type TimeRange } from './time-range.ts'
import { type TimePoint, type TimeseriesQuery, viewTimeseries } from './view-timeseries.ts'

/** What a caller asks; what they leave open, the project says. */
export interface Asked {
  range: TimeRange
  aiScope: AiMeaning | undefined
}

export class ViewReports {
  readonly #reads: ClickhouseReads
  readonly #downloads: ClickhouseReads
  readonly #db: Kysely<AnalyticsTables>
  readonly #sites: KnownSites

  constructor(clickhouse: QueryClickhouse, db: Kysely<AnalyticsTables>, sites: KnownSites) {
    this.#reads = new ClickhouseReads(clickhouse, readLimits)
    this.#downloads = new ClickhouseReads(clickhouse, downloadLimits)
    this.#db = db
    this.#sites = sites
  }

  async list(
    projectId: Id<'prj'>,
    { pages, limit, offset, ...asked }: Asked & { pages: PageFilter; limit: number; offset: number },
  ): Promise<ViewsPage & { coverage: Coverage }> {
    const { range, ai } = await this.#asTheProjectWants(projectId, asked)
    const [page, coverage] = await Promise.all([
      this.#reads.read((clickhouse) => listViews(clickhouse, { projectId, range, ai, pages, limit, offset })),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { ...page, coverage }
  }

  /** Every page, in the order of the list: arrays of `PageViews`. */
  async streamPages(projectId: Id<'prj'>, asked: Asked): Promise<Readable> {
    const { range, ai } = await this.#asTheProjectWants(projectId, asked)
    return this.#downloads.open((clickhouse) => streamPages(clickhouse, { projectId, range, ai }))
  }

  async timeseries(
    projectId: Id<'prj'>,
    { step, timeZone, path, ...asked }: Asked & Pick<TimeseriesQuery, 'step' | 'timeZone' | 'path'>,
  ): Promise<{ points: TimePoint[]; coverage: Coverage }> {
    const { range, ai } = await this.#asTheProjectWants(projectId, asked)
    const [points, coverage] = await Promise.all([
      this.#reads.read((clickhouse) => viewTimeseries(clickhouse, { projectId, range, ai, step, timeZone, path })),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { points, coverage }
  }

  async clients(
    projectId: Id<'prj'>,
    { path, ...asked }: Pick<Asked, 'range'> & { path: string | undefined },
  ): Promise<{ clients: ClientViews[]; coverage: Coverage }> {
    const { range } = await this.#asTheProjectWants(projectId, { ...asked, aiScope: undefined })
    const [clients, coverage] = await Promise.all([
      this.#reads.read((clickhouse) => listClients(clickhouse, { projectId, range, path })),
      findCoverage(this.#db, { projectId, range }),
    ])
    return { clients, coverage }
  }

  /** Of PostgreSQL alone: known while ClickHouse is away. */
  async coverage(projectId: Id<'prj'>, asked: TimeRange): Promise<Coverage & { sources: Source[] }> {
    const { range } = await this.#asTheProjectWants(projectId, { range: asked, aiScope: undefined })
    const [coverage, sources] = await Promise.all([
      findCoverage(this.#db, { projectId, range }),
      listSources(this.#db, projectId),
    ])
    return { ...coverage, sources }
  }

  /** Of PostgreSQL alone too. */
  sources(projectId: Id<'prj'>): Promise<HeardSources> {
    return heardSources(this.#db, projectId)
  }

  async live(projectId: Id<'prj'>): Promise<LiveEvent[]> {
    const [counted, dropped] = await Promise.all([
      this.#reads.read((clickhouse) => countedEvents(clickhouse, projectId)),
      droppedEvents(this.#db, projectId),
    ])
    return newestFirst([...counted, ...dropped])
  }

  async #asTheProjectWants(projectId: Id<'prj'>, { range, aiScope: ai }: Asked) {
    const { settings } = await this.#sites.ofProject(projectId)
    return { range: keptRange(range, settings.retentionMonths, new Date()), ai: ai ?? settings.aiScope }
  }
}
