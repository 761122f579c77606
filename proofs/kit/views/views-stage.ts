/** Colophon with a year of views of one project, in tables of its own: they can be asked through `api` or straight. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type ColophonProcess, prepareProcess, sealingKeySettings } from '../../../dev-services/colophon.ts'
import type { ServiceAddresses } from '../../../dev-services/start-services.ts'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import type { PageViews, ViewsPage } from '../../../server/src/analytics/query/list-views.ts'
import { readSettings } from '../../../server/src/analytics/query/read-settings.ts'
import { createClickhouse } from '../../../server/src/platform/clickhouse.ts'
import type { ProofRun } from '../../proof.ts'
import { startFaultyRelay } from '../faulty-relay.ts'
import { bearer, call } from '../http-call.ts'
import { type BareQuery, countedQuery, pageLimit, type Question } from './bare-queries.ts'
import { makeViews } from './made-views.ts'
import { rowsRead } from './rows-read.ts'

export interface ViewsStage {
  views: number
  projectId: string
  askApi(question: Question): Promise<ViewsPage>
  /** As `api` asks it: by the same client, over a connection that is kept, with the same settings. */
  askBare(query: BareQuery): Promise<unknown>
  /** From the views themselves: how many there are, and every page of a range. */
  countViews(): Promise<number>
  countPages(question: Question): Promise<PageViews[]>
  /** How many rows ClickHouse reads for each answer of `api`. */
  rowsReadFor(questions: readonly Question[]): Promise<number[]>
}

export interface StageOptions {
  addresses: ServiceAddresses
  /** Of logs. */
  directory: string
  views: number
}

const operator = { kind: 'operator' } as const

export async function prepareStage(run: ProofRun, { addresses, directory, views }: StageOptions): Promise<ViewsStage> {
  const instance = await createTestInstance(addresses, `views_${views}`)
  run.cleanUp(instance.drop)
  const { clickhouseUrl } = instance
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  const rowsOf = async <Row>(query: string) =>
    (await clickhouse.query({ query, format: 'JSONEachRow', clickhouse_settings: readSettings })).json<Row>()
  const { id: projectId } = await instance.stores.projects.create(`${views} views`, operator)
  await makeViews(clickhouse, projectId, views)
  await mergesEnded(rowsOf)

  const environment = { ...instance.environment, ...(await sealingKeySettings()) }
  const startApi = async (settings: Record<string, string> = {}) => {
    const api = await prepareProcess('api', { environment: { ...environment, ...settings }, directory })
    run.cleanUp(() => api.part.stop())
    await api.part.start()
    return api
  }
  const keys = new Map<string, string>()
  const askThrough = async ({ url }: ColophonProcess, { name, dateFrom, dateTo, offset }: Question) => {
    // A key for each question: what one key may ask in a minute is not what is measured.
    const grant = { name, scopes: ['analytics:read' as const], allowedNetworks: [], expiresAt: null }
    const key = keys.get(name) ?? (await instance.stores.keys.create(projectId, grant, operator)).secret
    keys.set(name, key)
    const search = new URLSearchParams({ dateFrom, dateTo, limit: `${pageLimit}`, offset: `${offset}` })
    const { status, text } = await call({
      method: 'GET',
      url: `${url}/v1/analytics/${projectId}/views?${search}`,
      headers: bearer(key),
    })
    if (status !== 200) throw new Error(`${name} is not answered: ${status} ${text}`)
    return JSON.parse(text) as ViewsPage
  }
  const api = await startApi()
  return {
    views,
    projectId,
    askApi: (question) => askThrough(api, question),
    askBare: async ({ query, format }) =>
      (await clickhouse.query({ query, format, clickhouse_settings: readSettings })).json(),
    async countViews() {
      const [row] = await rowsOf<{ views: number }>(
        `SELECT count() AS views FROM page_view WHERE project_id = '${projectId}'`,
      )
      return row?.views ?? 0
    },
    countPages: (question) => rowsOf(countedQuery(question, projectId)),
    async rowsReadFor(questions) {
      const relay = await startFaultyRelay(clickhouseUrl)
      run.cleanUp(relay.stop)
      const throughRelay = new URL(clickhouseUrl)
      throughRelay.host = new URL(relay.url).host
      const heardApi = await startApi({ COLOPHON_CLICKHOUSE_URL: throughRelay.href })
      const rows: number[] = []
      for (const question of questions) {
        const before = relay.calls.length
        await askThrough(heardApi, question)
        const heard = relay.calls.slice(before).filter(({ path, body }) => `${path} ${body}`.includes(projectId))
        rows.push(await rowsRead(clickhouseUrl, heard))
      }
      await heardApi.part.stop()
      return rows
    },
  }
}

/**
 * Nobody asks ClickHouse to merge what it would not merge by itself. In a running system too, a month is left alone from some
 * time on, and then rests as it does here.
 */
async function mergesEnded(rowsOf: <Row>(query: string) => Promise<Row[]>): Promise<void> {
  const state = async () => {
    const [row] = await rowsOf<{ merges: number; parts: string }>(`
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
