/** Colophon with a year of views of one project, in tables of its own, which can be queried through `api` or directly. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { PagesByViews, PageViews } from '../../server/src/analytics/query/list-views.ts'
import { clickhouseQuerySettings } from '../../server/src/analytics/query/query-settings.ts'
import { createClickhouse } from '../../server/src/platform/clickhouse.ts'
import { prepareColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { formatBearerHeader, sendHttpRequest } from '../../testing/harness/http-call.ts'
import { type RelayedCall, startHttpRelay } from '../../testing/harness/relay/http-relay.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import type { ServiceAddresses } from '../../testing/services/start-services.ts'
import type { ProofRun } from '../proof.ts'
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

export async function createViewsFixture(
  run: ProofRun,
  addresses: ServiceAddresses,
  views: number,
): Promise<ViewsFixture> {
  const colophon = await prepareColophon(run, `views_${views}`, { addresses })
  const { clickhouseUrl, stores, createKey } = colophon
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  const queryRows = async <Row>(query: string) =>
    (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: clickhouseQuerySettings })).json<Row>()
  const { id: projectId } = await stores.projects.create(`${views} views`, operator)
  await insertViews(clickhouse, projectId, views)
  await waitUntilMerged(queryRows)

  const keys = new Map<string, string>()
  const queryThrough = async ({ url }: ColophonProcess, { name, dateFrom, dateTo, offset }: ViewsQuery) => {
    // One key per query, because the rate limit per key is not measured here.
    const key = keys.get(name) ?? (await createKey(projectId, { scopes: ['analytics:read'] })).secret
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
  const api = await colophon.start('api')
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
      let calls: RelayedCall[] = []
      const relay = await startHttpRelay(clickhouseUrl, { onCall: (call) => calls.push(call) })
      run.cleanUp(relay.stop)
      const relayedApi = await colophon.start('api', { COLOPHON_CLICKHOUSE_URL: relay.url })
      const rows: number[] = []
      for (const viewsQuery of queries) {
        calls = []
        await queryThrough(relayedApi, viewsQuery)
        const ownCalls = calls.filter(({ path, body }) => `${path} ${body}`.includes(projectId))
        rows.push(await countRowsRead(clickhouseUrl, ownCalls))
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
