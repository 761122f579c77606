/**
 * What has arrived at each log drain, by day. Summed in memory, so that deliveries do not wait for it, and written every few seconds. A
 * process that is killed loses its last ones.
 */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { type IsoDate, toIsoDate } from '../tables.ts'

export interface LogDrainCounts {
  counted: number
  repeated: number
  dropped: number
  ignored: number
  unreadable: number
}

interface DayCounts extends LogDrainCounts {
  projectId: Id<'prj'>
  drainId: Id<'drn'>
  day: IsoDate
  /** When logs arrived that could be read. */
  firstAt: Date | undefined
  lastAt: Date | undefined
}

const writeEveryMs = 3_000

export class LogDrainActivity {
  readonly #db: Database
  readonly #log: Log
  #days = new Map<string, DayCounts>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  record(drain: { id: Id<'drn'>; projectId: Id<'prj'> }, counts: LogDrainCounts): void {
    const at = new Date()
    const day = toIsoDate(at.getTime())
    const key = `${drain.id} ${day}`
    const known = this.#days.get(key) ?? newDay(drain, day)
    this.#days.set(key, known)
    for (const name of ['counted', 'repeated', 'dropped', 'ignored', 'unreadable'] as const) known[name] += counts[name]
    if (counts.counted + counts.repeated + counts.dropped > 0) {
      known.firstAt ??= at
      known.lastAt = at
    }
    this.#timer ??= setTimeout(() => void this.flush(), writeEveryMs)
  }

  /** Writes everything recorded so far. Never rejects: a failed write is logged, and its counts are lost. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const days = [...this.#days.values()]
    this.#days = new Map()
    if (days.length === 0) return
    await writeDays(this.#db, days).catch((error: unknown) =>
      this.#log.warn({ error: String(error) }, 'could not record the activity of log drains'),
    )
  }
}

const newDay = ({ id, projectId }: { id: Id<'drn'>; projectId: Id<'prj'> }, day: IsoDate): DayCounts => ({
  projectId,
  drainId: id,
  day,
  counted: 0,
  repeated: 0,
  dropped: 0,
  ignored: 0,
  unreadable: 0,
  firstAt: undefined,
  lastAt: undefined,
})

/** Rows that several replicas write are locked in a fixed order, so that two transactions cannot deadlock. */
async function writeDays(db: Database, days: readonly DayCounts[]): Promise<void> {
  const column = <Value>(read: (day: DayCounts) => Value) => days.map(read)
  await db.transaction().execute(async (tx) => {
    await sql`
      INSERT INTO log_drain_day (project_id, log_drain_id, day, counted, repeated, dropped, ignored, unreadable)
      SELECT arrived.* FROM unnest(
        ${column(({ projectId }) => projectId)}::text[], ${column(({ drainId }) => drainId)}::text[],
        ${column(({ day }) => day)}::date[], ${column(({ counted }) => counted)}::bigint[],
        ${column(({ repeated }) => repeated)}::bigint[], ${column(({ dropped }) => dropped)}::bigint[],
        ${column(({ ignored }) => ignored)}::bigint[], ${column(({ unreadable }) => unreadable)}::bigint[]
      ) AS arrived (project_id, log_drain_id, day, counted, repeated, dropped, ignored, unreadable)
      JOIN project ON project.id = arrived.project_id
      ORDER BY arrived.project_id, arrived.log_drain_id, arrived.day
      ON CONFLICT (project_id, log_drain_id, day) DO UPDATE SET
        counted = log_drain_day.counted + excluded.counted, repeated = log_drain_day.repeated + excluded.repeated,
        dropped = log_drain_day.dropped + excluded.dropped, ignored = log_drain_day.ignored + excluded.ignored,
        unreadable = log_drain_day.unreadable + excluded.unreadable`.execute(tx)
    const read = days.filter(({ lastAt }) => lastAt !== undefined)
    await sql`
      WITH arrived AS (
        SELECT id, min(first_at) AS first_at, max(last_at) AS last_at FROM unnest(
          ${read.map(({ drainId }) => drainId)}::text[], ${read.map(({ firstAt }) => firstAt)}::timestamptz[],
          ${read.map(({ lastAt }) => lastAt)}::timestamptz[]
        ) AS arrived (id, first_at, last_at) GROUP BY id
      ),
      locked AS MATERIALIZED (
        SELECT log_drain.id FROM log_drain JOIN arrived USING (id) ORDER BY log_drain.id FOR UPDATE OF log_drain
      )
      UPDATE log_drain SET
        first_event_at = least(first_event_at, arrived.first_at), last_event_at = greatest(last_event_at, arrived.last_at)
      FROM arrived JOIN locked USING (id) WHERE log_drain.id = arrived.id`.execute(tx)
  })
}
