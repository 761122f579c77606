/**
 * Limits the beacons of a client network and of a project, because site keys are public: anyone who reads a page can send any number of
 * invented views. Each replica limits for itself, so that the limits of an instance are higher by the number of its replicas.
 */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import { TokenBuckets } from './token-buckets.ts'

export interface BeaconLimits {
  maxPerSecondPerNetwork: number
  maxPerSecondPerProject: number
  maxPerDayPerProject: number
}

interface DayCount {
  day: number
  /** By this replica. */
  counted: number
  /** By all replicas, when it was last read. */
  total: number
  readAtMs: number
}

const burstSeconds = 5
const dayMs = 24 * 3600 * 1000
const readTotalEveryMs = 60_000

export class BeaconLimiter {
  readonly #db: Database
  readonly #networks: TokenBuckets
  readonly #projects: TokenBuckets
  readonly #maxPerDay: number
  readonly #days = new Map<Id<'prj'>, DayCount>()

  constructor(db: Database, { maxPerSecondPerNetwork, maxPerSecondPerProject, maxPerDayPerProject }: BeaconLimits) {
    this.#db = db
    this.#networks = new TokenBuckets({
      perSecond: maxPerSecondPerNetwork,
      burst: maxPerSecondPerNetwork * burstSeconds,
    })
    this.#projects = new TokenBuckets({
      perSecond: maxPerSecondPerProject,
      burst: maxPerSecondPerProject * burstSeconds,
    })
    this.#maxPerDay = maxPerDayPerProject
  }

  /** Undefined: the view may be counted. `network` is undefined if it is not known, for example behind a reverse proxy. */
  findDropReason(projectId: Id<'prj'>, network: string | undefined): 'rate_limited' | 'daily_limit' | undefined {
    if (network !== undefined && !this.#networks.tryConsume(network)) return 'rate_limited'
    if (!this.#projects.tryConsume(projectId)) return 'rate_limited'
    const count = this.#dayCount(projectId)
    return Math.max(count.counted, count.total) >= this.#maxPerDay ? 'daily_limit' : undefined
  }

  recordCounted(projectId: Id<'prj'>): void {
    const count = this.#dayCount(projectId)
    count.counted += 1
    // Only of projects that this replica alone brings near their limit: the total costs a query.
    const isNearLimit = count.counted * 20 >= this.#maxPerDay
    if (!isNearLimit || performance.now() - count.readAtMs < readTotalEveryMs) return
    count.readAtMs = performance.now()
    this.#readTotal(projectId).then(
      (total) => {
        count.total = total
      },
      () => {}, // read again a minute later
    )
  }

  #dayCount(projectId: Id<'prj'>): DayCount {
    const day = Math.floor(Date.now() / dayMs)
    const known = this.#days.get(projectId)
    if (known?.day === day) return known
    const [oldest] = this.#days.values()
    if (oldest && oldest.day !== day) this.#days.clear()
    const count = { day, counted: 0, total: 0, readAtMs: Number.NEGATIVE_INFINITY }
    this.#days.set(projectId, count)
    return count
  }

  async #readTotal(projectId: Id<'prj'>): Promise<number> {
    const { rows } = await sql<{ events: string }>`
      SELECT coalesce(sum(events), 0) AS events FROM source_event_count
      WHERE project_id = ${projectId} AND source = 'script' AND outcome = 'counted'
        AND hour >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`.execute(this.#db)
    return Number(rows[0]?.events ?? 0)
  }
}
