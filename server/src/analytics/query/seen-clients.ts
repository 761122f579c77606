/**
 * Whether a project has views of people and of AIs at all: for whoever sets it up and looks every two seconds. What still
 * waits to be loaded counts, so that a view shows before it is loaded, and also while ClickHouse is away.
 */
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Kysely } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { View } from '../collect/view.ts'
import type { AnalyticsTables } from '../tables.ts'
import { summedAi } from './ai-meaning.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'

export interface SeenKinds {
  human: boolean
  ai: boolean
}

const keptMs = 2_000
const newestBatches = 8
const responseTimeoutMs = 2_000
const unpack = promisify(gunzip)
const nothing: SeenKinds = { human: false, ai: false }

export class SeenClients {
  readonly #clickhouse: QueryClickhouse
  readonly #db: Kysely<AnalyticsTables>
  /** What was seen once is not looked for again. */
  readonly #seen = new Map<Id<'prj'>, SeenKinds>()

  readonly #kept = new Map<Id<'prj'>, { response: Promise<SeenKinds>; untilMs: number }>()

  constructor(clickhouse: QueryClickhouse, db: Kysely<AnalyticsTables>) {
    this.#clickhouse = clickhouse
    this.#db = db
  }

  /** However many look at once, and however often, it is looked up every two seconds. */
  find(projectId: Id<'prj'>): Promise<SeenKinds> {
    const kept = this.#kept.get(projectId)
    if (kept && performance.now() < kept.untilMs) return kept.response
    const response = this.#find(projectId)
    this.#kept.set(projectId, { response, untilMs: performance.now() + keptMs })
    response.catch(() => this.#kept.delete(projectId))
    return response
  }

  async #find(projectId: Id<'prj'>): Promise<SeenKinds> {
    let seen = this.#seen.get(projectId) ?? nothing
    if (!isAll(seen)) seen = either(seen, await this.#waiting(projectId))
    if (!isAll(seen)) seen = either(seen, await this.#loaded(projectId).catch(() => nothing))
    if (seen.human || seen.ai) this.#seen.set(projectId, seen)
    return seen
  }

  async #loaded(projectId: Id<'prj'>): Promise<SeenKinds> {
    const response = await this.#clickhouse.query({
      query: `SELECT sum(human) > 0 AS human, sum(${summedAi('all')}) > 0 AS ai
        FROM views_by_quarter_hour WHERE project_id = {projectId:String}`,
      query_params: { projectId },
      format: 'JSONEachRow',
      abort_signal: AbortSignal.timeout(responseTimeoutMs),
    })
    const [row] = await response.json<{ human: number; ai: number }>()
    return { human: Boolean(row?.human), ai: Boolean(row?.ai) }
  }

  async #waiting(projectId: Id<'prj'>): Promise<SeenKinds> {
    const batches = await this.#db
      .selectFrom('view_batch')
      .select('body')
      .where('size_bytes', '<', 1_000_000) // a large one is no first view, and is not unpacked every two seconds
      .orderBy('id', 'desc')
      .limit(newestBatches)
      .execute()
    let seen = nothing
    for (const { body } of batches) {
      const lines = (await unpack(body)).toString().split('\n')
      for (const line of lines) if (line.startsWith(`["${projectId}"`)) seen = either(seen, kindOf(line))
    }
    return seen
  }
}

/** As `encodeView` writes it. */
function kindOf(line: string): SeenKinds {
  const clientClass = (JSON.parse(line) as unknown[])[3] as View['class']
  return { human: clientClass === 'human', ai: clientClass === 'assistant' || clientClass.startsWith('ai-') }
}

const isAll = ({ human, ai }: SeenKinds) => human && ai
const either = (one: SeenKinds, other: SeenKinds): SeenKinds => ({
  human: one.human || other.human,
  ai: one.ai || other.ai,
})
