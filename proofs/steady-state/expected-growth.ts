/** What each table may gain under the load. A table that is not listed here must not grow. */
import type { Plan } from './plan.ts'
import { eventUploadsPerTurn } from './prefill-jobs.ts'

/** What was sent in the run. */
export interface SentLoad {
  plan: Plan
  seconds: number
  beacons: number
  newPages: number
  jobs: number
  /** Jobs and messages. */
  turns: number
  /** Hours and months that began in the run. */
  newHours: number
  newMonths: number
}

export interface AllowedGrowth {
  /** That the table may gain. */
  rows: number
  /** For each of these rows, with its indexes. */
  bytesPerRow: number
  /** For old versions of rows that are updated or deleted, until they are vacuumed; as a share of the table at the start. */
  updatedShare?: number
  /** The same, in bytes. */
  updatedBytes?: number
}

const megabyte = 1024 * 1024
/** A table that only changes in place, or not at all. */
const noRows: AllowedGrowth = { rows: 0, bytesPerRow: 0 }
/** PostgreSQL adds several pages at once, and vacuums once a minute at most. */
export const minSlackBytes = megabyte

export function allowedGrowth(table: string, sent: SentLoad): AllowedGrowth {
  return growthByTable(sent)[table] ?? noRows
}

function growthByTable({
  plan,
  seconds,
  beacons,
  newPages,
  jobs,
  turns,
  newHours,
  newMonths,
}: SentLoad): Record<string, AllowedGrowth> {
  const updatesUntilVacuum = plan.jobsPerMinute * 10 * 4_000
  return {
    // Kept for at least a week.
    job: { rows: jobs, bytesPerRow: 4_000, updatedBytes: updatesUntilVacuum },
    job_search: { rows: jobs, bytesPerRow: 2_000 },
    turn: { rows: turns, bytesPerRow: 3_000, updatedBytes: updatesUntilVacuum },
    turn_attempt: { rows: turns, bytesPerRow: 4_000, updatedBytes: updatesUntilVacuum },
    turn_result: { rows: turns, bytesPerRow: 2_000 },
    turn_result_chunk: { rows: turns, bytesPerRow: 8_000 },
    job_event: { rows: turns * eventUploadsPerTurn, bytesPerRow: 2_000 },
    audit_entry: { rows: turns, bytesPerRow: 1_500 },
    idempotency_key: { rows: turns, bytesPerRow: 4_000 },
    script_page: { rows: newPages, bytesPerRow: 400 },
    // A row for each project and hour, updated once a minute. Vacuumed when a fifth of the rows has been replaced.
    source_event_count: { rows: plan.projects * newHours, bytesPerRow: 400, updatedShare: 0.25 },
    source_last_event: { rows: 0, bytesPerRow: 0, updatedBytes: plan.projects * 600 },
    source_coverage: { rows: plan.projects * newMonths, bytesPerRow: 400, updatedBytes: plan.projects * 300 },
    // When `api` has started, it creates a link for the first person.
    one_time_link: { rows: 1, bytesPerRow: 0 },
    // In the first five minutes of a slot, an ID is recorded twice. Partitions are dropped when they have expired.
    beacon_delivery: {
      rows: beacons + plan.beaconsPerSecond * Math.min(seconds + 60, 360 * Math.ceil(seconds / 1800)),
      bytesPerRow: 130,
    },
    // A buffer: rows are deleted within seconds, and their space is used again.
    view_batch: { rows: 0, bytesPerRow: 0, updatedBytes: (8 + plan.beaconsPerSecond / 50) * megabyte },
    view_block: { rows: 0, bytesPerRow: 0, updatedBytes: 4 * megabyte },
  }
}

/** Their size depends on how long the instance has been running, so no statement of the load may read all of one. */
export const lastingTables: readonly string[] = [
  'job',
  'job_search',
  'turn',
  'turn_attempt',
  'turn_result',
  'turn_result_chunk',
  'job_event',
  'model_call',
  'audit_entry',
  'idempotency_key',
  'script_page',
  'source_event_count',
  'beacon_delivery',
]
/** By tasks that run every hour. */
export const maxTableScans = 3

/** PostgreSQL vacuums a table when a fifth of its rows is old, and looks once a minute. Each project changes a row every minute. */
export const maxUnvacuumedRows = (rows: number, { plan }: SentLoad): number =>
  Math.round(rows * 0.25 + plan.projects * 3 + 10_000)

/** Bytes that one row of raw views, of sums or of sent batches may need in ClickHouse, before it has merged them. */
export const maxClickhouseBytesPerView = 40
