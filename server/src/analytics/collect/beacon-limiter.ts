/**
 * Limits the beacons of a client network and of a project, because site keys are public: anyone who reads a page can send any number of
 * invented views. Each replica limits for itself, so that the limits of an instance are higher by the number of its replicas.
 */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import { DailyQuota } from './daily-quota.ts'
import { TokenBuckets } from './token-buckets.ts'

export interface BeaconLimits {
  maxPerSecondPerNetwork: number
  maxPerSecondPerProject: number
  maxPerDayPerProject: number
}

const burstSeconds = 5

export class BeaconLimiter {
  readonly #networks: TokenBuckets
  readonly #projects: TokenBuckets
  readonly #quota: DailyQuota

  constructor(db: Database, { maxPerSecondPerNetwork, maxPerSecondPerProject, maxPerDayPerProject }: BeaconLimits) {
    this.#networks = new TokenBuckets({
      perSecond: maxPerSecondPerNetwork,
      burst: maxPerSecondPerNetwork * burstSeconds,
    })
    this.#projects = new TokenBuckets({
      perSecond: maxPerSecondPerProject,
      burst: maxPerSecondPerProject * burstSeconds,
    })
    this.#quota = new DailyQuota(maxPerDayPerProject, (projectId) => readTotal(db, projectId))
  }

  /** Undefined: the view may be counted. `network` is undefined if it is not known, for example behind a reverse proxy. */
  findDropReason(projectId: Id<'prj'>, network: string | undefined): 'rate_limited' | 'daily_limit' | undefined {
    if (network !== undefined && !this.#networks.tryConsume(network)) return 'rate_limited'
    if (!this.#projects.tryConsume(projectId)) return 'rate_limited'
    return this.#quota.isUsedUp(projectId) ? 'daily_limit' : undefined
  }

  recordCounted(projectId: Id<'prj'>): void {
    this.#quota.recordCounted(projectId)
  }
}

async function readTotal(db: Database, projectId: Id<'prj'>): Promise<number> {
  const { rows } = await sql<{ events: string }>`
    SELECT coalesce(sum(events), 0) AS events FROM source_event_count
    WHERE project_id = ${projectId} AND source = 'script' AND outcome = 'counted'
      AND hour >= date_trunc('day', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`.execute(db)
  return Number(rows[0]?.events ?? 0)
}
