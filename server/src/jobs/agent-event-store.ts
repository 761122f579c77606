/** Events that report what an agent is doing, while it does it. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import { KeyedSemaphore } from '../platform/semaphore.ts'
import type { LiveAttempt } from './attempt-store.ts'

/** Orders the events of a job. */
export interface EventPosition {
  turn: number
  attempt: number
  index: number
}

export interface StoredAgentEvent {
  position: EventPosition
  /** As in the runner API. */
  event: Record<string, unknown>
}

export interface WatchedJob {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  after: EventPosition
}

export const positionBeforeAllEvents: EventPosition = { turn: 0, attempt: 0, index: -1 }

const maxBytesPerTurn = 20 * 1024 * 1024
/** A process parses and formats what it reads in one step, in which it serves nobody else: 1 MB takes about 20 ms. */
const maxBytesPerRead = 128 * 1024
/** After a read that did not reach the last event, until the next one of the same project: at most 5 MB per second. */
const pauseBetweenReadsMs = 25
const maxBytesPerRow = 64 * 1024
export const eventRetentionDays = 90

export class AgentEventStore {
  readonly #db: Database
  /** One project's many followers use one connection to the database and little of the CPU, so that others need not wait. */
  readonly #reads = new KeyedSemaphore<Id<'prj'>>({ maxConcurrent: 1 })

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * False: the attempt has ended, or events before these are missing. Repeating an upload after a lost response changes
   * nothing. The row of the attempt is locked, so that no event of an older attempt appears after those of a newer one.
   */
  async append(attempt: LiveAttempt, firstIndex: number, events: readonly object[]): Promise<boolean> {
    const rows = splitIntoRows(events)
    const sizeBytes = rows.reduce((sum, row) => sum + row.sizeBytes, 0)
    const count = firstIndex + events.length
    return this.#db.transaction().execute(async (tx) => {
      const updateAttempt = tx
        .updateTable('turn_attempt')
        .where('turn_id', '=', attempt.turnId)
        .where('number', '=', attempt.number)
        .where('ended_at', 'is', null)
      const counted = await updateAttempt
        .set({ event_count: count, event_bytes: sql<number>`event_bytes + ${sizeBytes}` })
        .where('event_count', '=', firstIndex)
        .returning('number')
        .executeTakeFirst()
      if (!counted) {
        const repeated = await updateAttempt
          .set({ event_count: sql<number>`event_count` })
          .where('event_count', '>=', count)
          .returning('number')
          .executeTakeFirst()
        return repeated !== undefined
      }
      // Events over the limit are not stored: an agent that produces events endlessly must not fill the disk. The limit
      // applies to all attempts together, because a runner may release its turn and claim it again any number of times.
      const { bytes } = await tx
        .selectFrom('turn_attempt')
        .select(sql<string>`sum(event_bytes)`.as('bytes'))
        .where('turn_id', '=', attempt.turnId)
        .executeTakeFirstOrThrow()
      if (Number(bytes) - sizeBytes > maxBytesPerTurn) return true
      const position = {
        project_id: attempt.projectId,
        job_id: attempt.jobId,
        turn_number: attempt.turnNumber,
        attempt: attempt.number,
      }
      const values =
        Number(bytes) > maxBytesPerTurn
          ? [{ ...position, last_index: count - 1, events: JSON.stringify([limitNotice()]), size_bytes: null }]
          : rows.map((row) => ({
              ...position,
              last_index: firstIndex + row.lastOffset,
              events: row.text,
              size_bytes: row.sizeBytes,
            }))
      await tx.insertInto('job_event').values(values).execute()
      return true
    })
  }

  /**
   * Events of one job, in order: all of the next rows, up to a number of rows and of bytes. An agent that writes much must not use up the
   * memory of everyone who follows its job, nor make others wait.
   */
  async read(watched: WatchedJob, maxRows: number): Promise<{ events: StoredAgentEvent[]; hasMore: boolean }> {
    const { projectId } = watched
    await this.#reads.acquire(projectId)
    let pauseMs = 0
    try {
      const page = await this.#read(watched, maxRows)
      if (page.hasMore) pauseMs = pauseBetweenReadsMs
      return page
    } finally {
      setTimeout(() => this.#reads.release(projectId), pauseMs)
    }
  }

  async #read(
    { projectId, jobId, after }: WatchedJob,
    maxRows: number,
  ): Promise<{ events: StoredAgentEvent[]; hasMore: boolean }> {
    const { rows } = await sql<{
      turn_number: number
      attempt: number
      last_index: number
      events: Record<string, unknown>[]
      has_more: boolean
    }>`
      WITH next AS (
        SELECT *, row_number() OVER position AS row, sum(coalesce(size_bytes, pg_column_size(events))) OVER position AS bytes,
          count(*) OVER () AS rows
        FROM (
          SELECT * FROM job_event
          WHERE project_id = ${projectId} AND job_id = ${jobId}
            AND (turn_number, attempt, last_index) > (${after.turn}, ${after.attempt}, ${after.index})
          ORDER BY turn_number, attempt, last_index LIMIT ${maxRows + 1}
        ) AS following
        WINDOW position AS (ORDER BY turn_number, attempt, last_index)
      )
      SELECT turn_number, attempt, last_index, events, (max(row) OVER ()) < rows AS has_more
      FROM next WHERE row = 1 OR (row <= ${maxRows} AND bytes <= ${maxBytesPerRead})
      ORDER BY turn_number, attempt, last_index`.execute(this.#db)
    const events = rows
      .flatMap(({ turn_number: turn, attempt, last_index, events: rowEvents }) =>
        rowEvents.map((event, offset) => ({
          position: { turn, attempt, index: last_index - rowEvents.length + 1 + offset },
          event,
        })),
      )
      .filter(({ position }) => compareEventPositions(position, after) > 0)
    return { events, hasMore: rows[0]?.has_more ?? false }
  }

  /** Finds the watched jobs that have new events, and those that have ended, in one round trip. */
  async findUpdates(
    watched: readonly WatchedJob[],
  ): Promise<{ hasNews: ReadonlySet<WatchedJob>; hasEnded: ReadonlySet<WatchedJob> }> {
    const { rows } = await sql<{ ordinal: string; has_news: boolean; has_ended: boolean }>`
      SELECT watched.ordinal, job.status <> 'active' AS has_ended, EXISTS (
        SELECT FROM job_event AS event
        WHERE event.project_id = watched.project_id AND event.job_id = watched.job_id
          AND (event.turn_number, event.attempt, event.last_index) > (watched.turn, watched.attempt, watched.index)
      ) AS has_news
      FROM unnest(
        ${watched.map(({ projectId }) => projectId)}::text[], ${watched.map(({ jobId }) => jobId)}::text[],
        ${watched.map(({ after }) => after.turn)}::int[], ${watched.map(({ after }) => after.attempt)}::int[],
        ${watched.map(({ after }) => after.index)}::int[]
      ) WITH ORDINALITY AS watched (project_id, job_id, turn, attempt, index, ordinal)
      JOIN job ON job.project_id = watched.project_id AND job.id = watched.job_id`.execute(this.#db)
    const watchedWhere = (column: 'has_news' | 'has_ended') =>
      new Set(rows.filter((row) => row[column]).flatMap(({ ordinal }) => watched[Number(ordinal) - 1] ?? []))
    return { hasNews: watchedWhere('has_news'), hasEnded: watchedWhere('has_ended') }
  }

  /** Deletes some of the events past the retention, of jobs that have been inactive for as long. Returns how many. */
  async deleteExpired(limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM job_event WHERE ctid IN (
        SELECT event.ctid FROM job_event AS event
        JOIN job ON job.project_id = event.project_id AND job.id = event.job_id
        WHERE event.created_at < now() - make_interval(days => ${eventRetentionDays})
          AND job.status <> 'active' AND job.updated_at < now() - make_interval(days => ${eventRetentionDays})
        LIMIT ${limit})`.execute(this.#db)
    return Number(numAffectedRows)
  }
}

interface EventRow {
  /** A JSON array. */
  text: string
  sizeBytes: number
  /** Of its last event, in the upload. */
  lastOffset: number
}

/** An event is not split, so a row of one event can be larger than the limit. */
function splitIntoRows(events: readonly object[]): EventRow[] {
  const rows: { texts: string[]; sizeBytes: number; lastOffset: number }[] = []
  for (const [offset, event] of events.entries()) {
    const text = JSON.stringify(event).replaceAll('\\u0000', '\\ufffd') // PostgreSQL cannot store NUL
    const sizeBytes = Buffer.byteLength(text) + 1 // with a comma or bracket
    const row = rows.at(-1)
    if (row && row.sizeBytes + sizeBytes <= maxBytesPerRow) {
      row.texts.push(text)
      row.sizeBytes += sizeBytes
      row.lastOffset = offset
    } else rows.push({ texts: [text], sizeBytes, lastOffset: offset })
  }
  return rows.map(({ texts, sizeBytes, lastOffset }) => ({ text: `[${texts.join(',')}]`, sizeBytes, lastOffset }))
}

const limitNotice = () => ({
  type: 'notice',
  at: new Date().toISOString(),
  text: 'This turn has reached the limit for stored events, so its later events are not shown. The turn continues.',
})

export const compareEventPositions = (a: EventPosition, b: EventPosition): number =>
  a.turn - b.turn || a.attempt - b.attempt || a.index - b.index
