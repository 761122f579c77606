/** What agents do, as they do it. */
import { type Kysely, sql } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { LiveAttempt } from './attempt-store.ts'
import type { JobTables } from './tables.ts'

/** Where an event stands among all of its job. */
export interface EventPosition {
  turn: number
  attempt: number
  index: number
}

export interface StoredEvent {
  position: EventPosition
  /** As the runner's wire has it. */
  event: Record<string, unknown>
}

export interface WatchedJob {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  after: EventPosition
}

export const beforeAllEvents: EventPosition = { turn: 0, attempt: 0, index: -1 }

const maxBytesPerTurn = 20 * 1024 * 1024
const keptDays = 90

export class EventStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  /**
   * False: the try is over, or events before these are missing. An upload that is repeated after a lost answer changes
   * nothing. The try's row is locked, so that no event of an older try appears behind those of a newer one.
   */
  async append(attempt: LiveAttempt, firstIndex: number, events: readonly object[]): Promise<boolean> {
    const text = JSON.stringify(events).replaceAll('\\u0000', '\\ufffd') // PostgreSQL keeps no NUL
    const sizeBytes = Buffer.byteLength(text)
    const count = firstIndex + events.length
    return this.#db.transaction().execute(async (tx) => {
      const ofTry = tx
        .updateTable('turn_attempt')
        .where('turn_id', '=', attempt.turnId)
        .where('number', '=', attempt.number)
        .where('ended_at', 'is', null)
      const counted = await ofTry
        .set({ event_count: count, event_bytes: sql<number>`event_bytes + ${sizeBytes}` })
        .where('event_count', '=', firstIndex)
        .returning('number')
        .executeTakeFirst()
      if (!counted) {
        const repeated = await ofTry
          .set({ event_count: sql<number>`event_count` })
          .where('event_count', '>=', count)
          .returning('number')
          .executeTakeFirst()
        return repeated !== undefined
      }
      // Past the size nothing more is kept: an agent that talks without end must not fill the disk. Of all tries together:
      // a runner may hand its turn back, and get it again, as often as it likes.
      const { bytes } = await tx
        .selectFrom('turn_attempt')
        .select(sql<string>`sum(event_bytes)`.as('bytes'))
        .where('turn_id', '=', attempt.turnId)
        .executeTakeFirstOrThrow()
      if (Number(bytes) - sizeBytes > maxBytesPerTurn) return true
      const isLast = Number(bytes) > maxBytesPerTurn
      await tx
        .insertInto('job_event')
        .values({
          project_id: attempt.projectId,
          job_id: attempt.jobId,
          turn_number: attempt.turnNumber,
          attempt: attempt.number,
          last_index: count - 1,
          events: isLast ? JSON.stringify([notKept()]) : text,
        })
        .execute()
      return true
    })
  }

  /** Of one job, in order, at least `limit` if there are so many: rows are not cut in pieces. */
  async read({ projectId, jobId, after }: WatchedJob, limit: number): Promise<StoredEvent[]> {
    const rows = await this.#db
      .selectFrom('job_event')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('job_id', '=', jobId)
      .where(sql<boolean>`(turn_number, attempt, last_index) > (${after.turn}, ${after.attempt}, ${after.index})`)
      .orderBy('turn_number')
      .orderBy('attempt')
      .orderBy('last_index')
      .limit(limit)
      .execute()
    return rows
      .flatMap(({ turn_number: turn, attempt, last_index, events }) =>
        events.map((event, place) => ({
          position: { turn, attempt, index: last_index - events.length + 1 + place },
          event: event as Record<string, unknown>,
        })),
      )
      .filter(({ position }) => comparePositions(position, after) > 0)
  }

  /** Those of many watched jobs for which there is something new, in one round trip; and those that have ended. */
  async lookAt(
    watched: readonly WatchedJob[],
  ): Promise<{ hasNews: ReadonlySet<WatchedJob>; hasEnded: ReadonlySet<WatchedJob> }> {
    const { rows } = await sql<{ place: string; news: boolean; ended: boolean }>`
      SELECT watched.place, job.status <> 'active' AS ended, EXISTS (
        SELECT FROM job_event AS event
        WHERE event.project_id = watched.project_id AND event.job_id = watched.job_id
          AND (event.turn_number, event.attempt, event.last_index) > (watched.turn, watched.attempt, watched.index)
      ) AS news
      FROM unnest(
        ${watched.map(({ projectId }) => projectId)}::text[], ${watched.map(({ jobId }) => jobId)}::text[],
        ${watched.map(({ after }) => after.turn)}::int[], ${watched.map(({ after }) => after.attempt)}::int[],
        ${watched.map(({ after }) => after.index)}::int[]
      ) WITH ORDINALITY AS watched (project_id, job_id, turn, attempt, index, place)
      JOIN job ON job.project_id = watched.project_id AND job.id = watched.job_id`.execute(this.#db)
    const those = (wanted: (row: { news: boolean; ended: boolean }) => boolean) =>
      new Set(rows.filter(wanted).flatMap(({ place }) => watched[Number(place) - 1] ?? []))
    return { hasNews: those(({ news }) => news), hasEnded: those(({ ended }) => ended) }
  }

  /** Of jobs in which nothing happened for so long. */
  async forgetOld(limit: number): Promise<void> {
    await sql`
      DELETE FROM job_event WHERE ctid IN (
        SELECT event.ctid FROM job_event AS event
        JOIN job ON job.project_id = event.project_id AND job.id = event.job_id
        WHERE event.created_at < now() - make_interval(days => ${keptDays})
          AND job.status <> 'active' AND job.updated_at < now() - make_interval(days => ${keptDays})
        LIMIT ${limit})`.execute(this.#db)
  }
}

const notKept = () => ({
  type: 'notice',
  at: new Date().toISOString(),
  text: 'The agent did more than is kept: what follows of this turn is not shown. The turn goes on.',
})

export const comparePositions = (one: EventPosition, other: EventPosition): number =>
  one.turn - other.turn || one.attempt - other.attempt || one.index - other.index
