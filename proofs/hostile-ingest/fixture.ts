/** A service that ingests views, with the memory limits of a deployment, and access to what it stores. */

import { type ClickHouseClient, createClient } from '@clickhouse/client'
import type pg from 'pg'
import { type Colophon, startColophon } from '../../testing/harness/colophon.ts'
import { deploymentMemorySettings } from '../../testing/harness/deployment-memory-settings.ts'
import { formatBearerHeader, type HttpResponse, sendHttpRequest } from '../../testing/harness/http-call.ts'
import type { ManagedProcess } from '../../testing/services/managed-process.ts'
import { type MemoryWatch, watchMemory } from '../hostile-results/peak-memory.ts'
import { waitUntilLoaded } from '../ingest-rate/backlog.ts'
import type { ProofRun } from '../proof.ts'

export interface IngestProject {
  projectId: string
  key: string
}

export interface IngestFixture {
  run: ProofRun
  colophon: Colophon
  pool: pg.Pool
  clickhouse: ClickHouseClient
  worker: ManagedProcess
  memory: { api: MemoryWatch; worker: MemoryWatch }
  /** Until every acknowledged view is in ClickHouse. */
  waitUntilLoaded(): Promise<void>
  createProject(name: string): Promise<IngestProject>
  /** Checks every response: no 5xx except a 503 with `Retry-After`. */
  send(request: ApiRequest): Promise<HttpResponse>
  responseCount(): number
}

export interface ApiRequest {
  method?: string
  path: string
  headers?: readonly string[]
  body?: string | Buffer
}

export async function createIngestFixture(run: ProofRun): Promise<IngestFixture> {
  const colophon = await startColophon(run, 'hostile_events', deploymentMemorySettings)
  const { api, worker, pool } = colophon
  const clickhouse = createClient({ url: colophon.clickhouseUrl })
  run.cleanUp(() => clickhouse.close())
  const memory = {
    api: watchMemory(api.process.pid ?? 0, 'api'),
    worker: watchMemory(worker.process.pid ?? 0, 'worker'),
  }
  run.cleanUp(async () => [memory.api.stop(), memory.worker.stop()])
  const sender = createCheckedSender(run, api.url)
  return {
    run,
    colophon,
    pool,
    clickhouse,
    worker: worker.process,
    memory,
    ...sender,
    createProject: colophon.createProject,
    async waitUntilLoaded() {
      await waitUntilLoaded(pool, 300)
    },
  }
}

export function createCheckedSender(run: ProofRun, apiUrl: string): Pick<IngestFixture, 'send' | 'responseCount'> {
  let count = 0
  return {
    async send({ method = 'POST', path, headers = [], body }) {
      const response = await sendHttpRequest({
        method,
        url: `${apiUrl}${path}`,
        headers,
        ...(body !== undefined && { body }),
      })
      count += 1
      const isRetryable = response.status === 503 && response.headers['retry-after'] !== undefined
      if (response.status >= 500 && !isRetryable)
        run.check(false, `${method} ${path}: no 5xx, got ${response.status} ${response.text}`)
      return response
    },
    responseCount: () => count,
  }
}

export const jsonHeaders = (key: string) => [...formatBearerHeader(key), 'content-type', 'application/json']

export interface ViewEvent {
  path: string
  userAgent: string
  at?: string
}

export const postViewEvents = (
  { send }: Pick<IngestFixture, 'send'>,
  { projectId, key }: IngestProject,
  views: readonly ViewEvent[],
): Promise<HttpResponse> =>
  send({ path: `/v1/ingest/${projectId}/views`, headers: jsonHeaders(key), body: JSON.stringify({ views }) })

export const postViewBeacon = (
  { send }: Pick<IngestFixture, 'send'>,
  beacon: unknown,
  { origin = 'https://docs.example.com', userAgent = browserUserAgent }: { origin?: string; userAgent?: string } = {},
): Promise<HttpResponse> =>
  send({
    path: '/v1/collect',
    headers: ['content-type', 'text/plain', 'origin', origin, 'user-agent', userAgent],
    body: typeof beacon === 'string' ? beacon : JSON.stringify(beacon),
  })

export const browserUserAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'
export const assistantUserAgent = 'Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)'

/** Buffered and loaded rows. The loaded ones can be limited to one project. */
export async function countViewRows({ pool, clickhouse }: IngestFixture, projectId?: string): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>('SELECT coalesce(sum(rows), 0)::int AS rows FROM view_batch')
  const response = await clickhouse.query({
    query: `SELECT count() AS rows FROM page_view ${projectId ? 'WHERE project_id = {project: String}' : ''}`,
    query_params: { project: projectId ?? '' },
    format: 'JSONEachRow',
  })
  const [loaded] = await response.json<{ rows: string }>()
  return (rows[0]?.rows ?? 0) + Number(loaded?.rows)
}
