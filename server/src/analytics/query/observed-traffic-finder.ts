/**
 * Whether a project has any human and any AI views, for setup pages that poll every two seconds. Includes views that are not
 * loaded yet, so that the first view shows up immediately, even while ClickHouse is down.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { View } from '../collect/view.ts'
import { buildAiSumSql } from './ai-scope.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'

export interface TrafficKinds {
  human: boolean
  ai: boolean
}

const cacheMs = 2_000
const maxBatches = 8
const responseTimeoutMs = 2_000
const decompress = promisify(gunzip)
const nothing: TrafficKinds = { human: false, ai: false }

export class ObservedTrafficFinder {
  readonly #clickhouse: ClickhouseQueryClient
  readonly #db: Database
  /** Traffic that was found once is not searched for again. */
  readonly #observed = new Map<Id<'prj'>, TrafficKinds>()
  readonly #cache = new Map<Id<'prj'>, { result: Promise<TrafficKinds>; expiresMs: number }>()

  constructor(clickhouse: ClickhouseQueryClient, db: Database) {
    this.#clickhouse = clickhouse
    this.#db = db
  }

  /** Queries at most once every two seconds per project, however many callers there are. */
  find(projectId: Id<'prj'>): Promise<TrafficKinds> {
    const cached = this.#cache.get(projectId)
    if (cached && performance.now() < cached.expiresMs) return cached.result
    const result = this.#find(projectId)
    this.#cache.set(projectId, { result, expiresMs: performance.now() + cacheMs })
    result.catch(() => this.#cache.delete(projectId))
    return result
  }

  async #find(projectId: Id<'prj'>): Promise<TrafficKinds> {
    let observed = this.#observed.get(projectId) ?? nothing
    if (!isComplete(observed)) observed = merge(observed, await this.#findInBuffer(projectId))
    if (!isComplete(observed)) observed = merge(observed, await this.#findInClickhouse(projectId).catch(() => nothing))
    if (observed.human || observed.ai) this.#observed.set(projectId, observed)
    return observed
  }

  async #findInClickhouse(projectId: Id<'prj'>): Promise<TrafficKinds> {
    const response = await this.#clickhouse.query({
      query: `SELECT sum(human) > 0 AS human, sum(${buildAiSumSql('all')}) > 0 AS ai
        FROM views_by_quarter_hour WHERE project_id = {projectId:String}`,
      query_params: { projectId },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const [row] = await response.json<{ human: number; ai: number }>()
    return { human: Boolean(row?.human), ai: Boolean(row?.ai) }
  }

  async #findInBuffer(projectId: Id<'prj'>): Promise<TrafficKinds> {
    const batches = await this.#db
      .selectFrom('view_batch')
      .select('body')
      .where('size_bytes', '<', 1_000_000) // a large batch is not the first view, and too expensive to decompress every two seconds
      .orderBy('id', 'desc')
      .limit(maxBatches)
      .execute()
    let observed = nothing
    for (const { body } of batches) {
      const lines = (await decompress(body)).toString().split('\n')
      for (const line of lines) if (line.startsWith(`["${projectId}"`)) observed = merge(observed, parseKinds(line))
    }
    return observed
  }
}

/** Parses a line that `encodeView` has written. */
function parseKinds(line: string): TrafficKinds {
  const clientClass = (JSON.parse(line) as unknown[])[3] as View['class']
  return { human: clientClass === 'human', ai: clientClass === 'assistant' || clientClass.startsWith('ai-') }
}

const isComplete = ({ human, ai }: TrafficKinds) => human && ai
const merge = (a: TrafficKinds, b: TrafficKinds): TrafficKinds => ({
  human: a.human || b.human,
  ai: a.ai || b.ai,
})
