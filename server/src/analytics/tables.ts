import type { ColumnType, Generated } from 'kysely'
import type { KeyHash } from '../keys/key-format.ts'
import type { Id } from '../platform/ids.ts'
import type { CountingSource } from './classify/classify-request.ts'
import type { AnyDropReason, ViewSource } from './collect/view-source.ts'
import type { LogFormat } from './log-formats/log-format.ts'
import type { AiScope } from './query/ai-scope.ts'

/** A day as PostgreSQL writes it. A Date would be midnight in the time zone of this process. */
export type IsoDate = `${number}-${number}-${number}`

export const toIsoDate = (ms: number): IsoDate => new Date(ms).toISOString().slice(0, 10) as IsoDate

/**
 * In every row that has a shard, because all views are in one ClickHouse. The columns remain, because removing them means migrating
 * buffered views, and several shards would need them (docs/decisions/clickhouse.md).
 */
export const onlyShard = 0

export interface AnalyticsTables {
  analytics_settings: {
    project_id: Id<'prj'>
    human_source: Generated<CountingSource | null>
    respect_do_not_track: Generated<boolean>
    allowed_origins: Generated<string[]>
    ai_scope: Generated<AiScope>
    retention_months: Generated<number | null>
    expired_before: Generated<IsoDate | null>
  }
  site_key: {
    key: string
    project_id: Id<'prj'>
    created_at: Generated<Date>
    revoked_at: ColumnType<Date | null, never, Date>
  }
  log_drain: {
    id: Id<'drn'>
    project_id: Id<'prj'>
    name: string
    format: LogFormat
    host: string | null
    secret_hash: KeyHash<'colophon_drain_'>
    signing_secret: string | null
    verification: string | null
    created_by: string
    created_at: Generated<Date>
    first_event_at: Date | null
    last_event_at: Date | null
  }
  log_drain_day: {
    project_id: Id<'prj'>
    log_drain_id: Id<'drn'>
    day: IsoDate
    counted: string
    repeated: string
    dropped: string
    ignored: string
    unreadable: string
  }
  source_coverage: {
    project_id: Id<'prj'>
    source: CountingSource
    month: IsoDate
    first_day: IsoDate
    last_day: IsoDate
    counts_humans: boolean
  }
  view_batch: {
    id: Generated<string>
    key: Generated<string>
    shard: number
    month: IsoDate
    rows: number
    size_bytes: number
    body: Buffer
    created_at: Generated<Date>
  }
  import_run: {
    project_id: Id<'prj'>
    id: Id<'imp'>
    kind: 'access_log'
    fingerprint: Buffer
    confirmed_bytes: string
    planned_bytes: string
    views: string
    finished_at: Date | null
  }
  source_last_event: { project_id: Id<'prj'>; source: ViewSource; last_event_at: Date }
  source_event_count: {
    project_id: Id<'prj'>
    source: ViewSource
    hour: Date
    outcome: AnyDropReason | 'counted'
    events: string
  }
  dropped_event: { project_id: Id<'prj'>; at: Date; source: ViewSource; path: string; reason: AnyDropReason }
  view_delivery: { delivery: Buffer; expires_on: IsoDate | 'infinity' }
}
