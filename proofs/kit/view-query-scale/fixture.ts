/** Colophon with a year of views of one project, in tables of its own, which can be queried through `api` or directly. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ColophonProcess,
  prepareColophonProcess,
  sealingKeySettings,
} from '../../../dev-services/colophon-process.ts'
import type { ServiceAddresses } from '../../../dev-services/start-services.ts'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import type { PagesByViews, PageViews } from '../../../server/src/analytics/query/list-views.ts'
import { clickhouseQuerySettings } from '../../../server/src/analytics/query/query-settings.ts'
import { createClickhouse } from '../../../server/src/platform/clickhouse.ts'
import type { ProofRun } from '../../proof.ts'
import { startFaultyRelay } from '../faulty-relay.ts'
import { formatBearerHeader, sendHttpRequest } from '../http-call.ts'
import { type BaselineQuery, exactCountQuery, pageLimit, type ViewsQuery } from './baseline-queries.ts'
import { insertViews } from './insert-views.ts'
import { countRowsRead } from './rows-read.ts'

export interface ViewsFixture {
  views: number
  projectId: string
  queryApi(viewsQuery: ViewsQuery): Promise<PagesByViews>
  /** As `api` does it: with the same client, a persistent connection and the same settings. */
  queryClickhouse(query: BaselineQuery): Promise<unknown>
  /** Counted from the single views. */
  countViews(): Promise<number>
  countPages(viewsQuery: ViewsQuery): Promise<PageViews[]>
  /** How many rows ClickHouse reads for each response of `api`. */
  rowsReadFor(queries: readonly ViewsQuery[]): Promise<number[]>
}

export interface FixtureOptions {
  addresses: ServiceAddresses
  /** For logs. */
  directory: string
  views: number
}

const operator = { kind: 'operator' } as const

export async function createViewsFixture(
  run: ProofRun,
  { addresses, directory, views }: FixtureOptions,
): Promise<ViewsFixture> {
  const instance = await createTestInstance(addresses, `views_${views}`)
  run.cleanUp(instance.drop)
  const { clickhouseUrl } = instance
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  const queryRows = async <Row>(query: string) =>
    (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: clickhouseQuerySettings })).json<Row>()
  const { id: projectId } = await instance.stores.projects.create(`${views} views`, operator)
  await insertViews(clickhouse, projectId, views)
  await waitUntilMerged(queryRows)

  const environment = { ...instance.environment, ...(await sealingKeySettings()) }
  const startApi = async (settings: Record<string, string> = {}) => {
    const api = await prepareColophonProcess('api', { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => api.process.stop())
    await api.process.start()
    return api
  }
  const keys = new Map<string, string>()
  const queryThrough = async ({ url }: ColophonProcess, { name, dateFrom, dateTo, offset }: ViewsQuery) => {
    // One key per query, because the rate limit per key is not measured here.
    const keyInput = { name, scopes: ['analytics:read' as const], allowedNetworks: [], expiresAt: null }
    const key = keys.get(name) ?? (await instance.stores.keys.create(projectId, keyInput, operator)).secret
    keys.set(name, key)
    const search = new URLSearchParams({ dateFrom, dateTo, limit: `${pageLimit}`, offset: `${offset}` })
    const { status, text } = await sendHttpRequest({
      method: 'GET',
      url: `${url}/v1/analytics/${projectId}/views?${search}`,
      headers: formatBearerHeader(key),
    })
    if (status !== 200) throw new Error(`${name}: expected 200, got ${status} ${text}`)
    return JSON.parse(text) as PagesByViews
  }
  const api = await startApi()
  return {
    views,
    projectId,
    queryApi: (viewsQuery) => queryThrough(api, viewsQuery),
    queryClickhouse: async ({ query, format }) =>
      (await clickhouse.query({ query, format, clickhouse_settings: clickhouseQuerySettings })).json(),
    async countViews() {
      const [row] = await queryRows<{ views: number }>(
        `SELECT count() AS views FROM page_view WHERE project_id = '${projectId}'`,
      )
      return row?.views ?? 0
    },
    countPages: (viewsQuery) => queryRows(exactCountQuery(viewsQuery, projectId)),
    async rowsReadFor(queries) {
      const relay = await startFaultyRelay(clickhouseUrl)
      run.cleanUp(relay.stop)
      const throughRelay = new URL(clickhouseUrl)
      throughRelay.host = new URL(relay.url).host
      const relayedApi = await startApi({ COLOPHON_CLICKHOUSE_URL: throughRelay.href })
      const rows: number[] = []
      for (const viewsQuery of queries) {
        const before = relay.calls.length
        await queryThrough(relayedApi, viewsQuery)
        const calls = relay.calls.slice(before).filter(({ path, body }) => `${path} ${body}`.includes(projectId))
        rows.push(await countRowsRead(clickhouseUrl, calls))
      }
      await relayedApi.process.stop()
      return rows
    },
  }
}

/**
 * Waits for the merges that ClickHouse starts by itself, without forcing more. In production, too, a past month gets no more
 * views and settles into the same state.
 */
async function waitUntilMerged(queryRows: <Row>(query: string) => Promise<Row[]>): Promise<void> {
  const state = async () => {
    const [row] = await queryRows<{ merges: number; parts: string }>(`
      SELECT (SELECT count() FROM system.merges) AS merges, toString(groupArray(name)) AS parts
      FROM (SELECT name FROM system.parts WHERE active AND database = currentDatabase() ORDER BY table, name)`)
    return row
  }
  for (let before = await state(), quietSeconds = 0; quietSeconds < 5; ) {
    await sleep(1_000)
    const now = await state()
    quietSeconds = now?.merges === 0 && now.parts === before?.parts ? quietSeconds + 1 : 0
    before = now
  }
}
