/** A service that takes views in, as large as it is deployed, and what it holds of them. */
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import pg from 'pg'
import { makeProject } from '../../../dev-services/colophon.ts'
import type { Part } from '../../../dev-services/managed-process.ts'
import type { ProofRun } from '../../proof.ts'
import { asDeployed } from '../as-deployed.ts'
import { type MemoryWatch, watchMemory } from '../hostile/peak-memory.ts'
import { type Answer, bearer, call } from '../http-call.ts'
import { untilLoaded } from '../ingest/backlog.ts'
import type { RunningService } from '../running-service.ts'

export interface Site {
  projectId: string
  key: string
}

export interface WatchedSite {
  run: ProofRun
  service: RunningService
  pool: pg.Pool
  clickhouse: ClickHouseClient
  worker: Part
  memory: { api: MemoryWatch; worker: MemoryWatch }
  /** Every view that was acknowledged is in ClickHouse. */
  untilLoaded(): Promise<void>
  makeSite(name: string): Promise<Site>
  /** Every answer is looked at: no status of the 500s but a 503 that says when to come again. */
  send(request: Sent): Promise<Answer>
  responsesSeen(): number
}

export interface Sent {
  method?: string
  path: string
  headers?: readonly string[]
  body?: string | Buffer
}

export async function openWatchedSite(run: ProofRun, service: RunningService): Promise<WatchedSite> {
  const [api, worker] = await Promise.all([service.startApi(asDeployed.api), service.startWorker(asDeployed.worker)])
  const pool = new pg.Pool({ connectionString: service.instance.postgresUrl, max: 4 })
  run.cleanUp(() => pool.end())
  const clickhouse = createClient({ url: service.instance.clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  const memory = {
    api: watchMemory(api.part.pid ?? 0, 'api'),
    worker: watchMemory(worker.part.pid ?? 0, 'worker'),
  }
  run.cleanUp(async () => [memory.api.stop(), memory.worker.stop()])
  const sending = watchedSend(run, api.url)
  return {
    run,
    service,
    pool,
    clickhouse,
    worker: worker.part,
    memory,
    ...sending,
    makeSite: (name) => makeProject(service.environment, name),
    async untilLoaded() {
      await untilLoaded(pool, 300)
    },
  }
}

export function watchedSend(run: ProofRun, apiUrl: string): Pick<WatchedSite, 'send' | 'responsesSeen'> {
  let responses = 0
  return {
    async send({ method = 'POST', path, headers = [], body }) {
      const response = await call({ method, url: `${apiUrl}${path}`, headers, ...(body !== undefined && { body }) })
      responses += 1
      const isStated = response.status === 503 && response.headers['retry-after'] !== undefined
      if (response.status >= 500 && !isStated)
        run.check(false, `${method} ${path}: ${response.status} ${response.text}`)
      return response
    },
    responsesSeen: () => responses,
  }
}

export const jsonHeaders = (key: string) => [...bearer(key), 'content-type', 'application/json']

export interface EventLike {
  path: string
  userAgent: string
  at?: string
}

export const ingest = (
  { send }: Pick<WatchedSite, 'send'>,
  { projectId, key }: Site,
  views: readonly EventLike[],
): Promise<Answer> =>
  send({ path: `/v1/ingest/${projectId}/views`, headers: jsonHeaders(key), body: JSON.stringify({ views }) })

export const collect = (
  { send }: Pick<WatchedSite, 'send'>,
  beacon: unknown,
  { origin = 'https://docs.example.com', userAgent = browser }: { origin?: string; userAgent?: string } = {},
): Promise<Answer> =>
  send({
    path: '/v1/collect',
    headers: ['content-type', 'text/plain', 'origin', origin, 'user-agent', userAgent],
    body: typeof beacon === 'string' ? beacon : JSON.stringify(beacon),
  })

export const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
export const agent = 'Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)'

/** Rows that wait and rows that are in, of one project or of all. */
export async function countRows({ pool, clickhouse }: WatchedSite, projectId?: string): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>('SELECT coalesce(sum(rows), 0)::int AS rows FROM view_batch')
  const response = await clickhouse.query({
    query: `SELECT count() AS rows FROM page_view ${projectId ? 'WHERE project_id = {project: String}' : ''}`,
    query_params: { project: projectId ?? '' },
    format: 'JSONEachRow',
  })
  const [loaded] = await response.json<{ rows: string }>()
  return (rows[0]?.rows ?? 0) + Number(loaded?.rows)
}
