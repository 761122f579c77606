/** What turns left behind: bundles and conversations of many megabytes, read only where they are needed. */
import type { Kysely } from 'kysely'
import type { Id } from '../platform/ids.ts'
import { type ResultPart, readBytes } from './result-bytes.ts'
import type { JobTables } from './tables.ts'
import { turnError } from './turn-errors.ts'

export interface StoredResult {
  baseCommit: string
  bundle: Buffer | null
  title: string | null
  summary: string | null
  reply: string | null
  checks: unknown[]
}

type Db = Kysely<JobTables>

/** Without the session: publishing has no use for it. */
export async function readResult(db: Db, turnId: Id<'trn'>): Promise<StoredResult | undefined> {
  const row = await db
    .selectFrom('turn_result')
    .select(['base_commit', 'bundle_bytes', 'title', 'summary', 'reply', 'checks'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return (
    row && {
      baseCommit: row.base_commit,
      bundle: row.bundle_bytes === null ? null : await readBytes(db, turnId, 'bundle', row.bundle_bytes),
      title: row.title,
      summary: row.summary,
      reply: row.reply,
      checks: row.checks,
    }
  )
}

export async function lastSession(db: Db, jobId: Id<'job'>): Promise<Buffer | null> {
  const last = await lastAccepted(db, jobId, 'session')
  return last ? readBytes(db, last.turn_id, 'session', last.size_bytes) : null
}

/** It holds everything since the base: each turn begins where the one before ended. */
export async function lastBundle(db: Db, jobId: Id<'job'>): Promise<{ baseCommit: string; bundle: Buffer } | null> {
  const last = await lastAccepted(db, jobId, 'bundle')
  if (!last) return null
  return { baseCommit: last.base_commit, bundle: await readBytes(db, last.turn_id, 'bundle', last.size_bytes) }
}

/** The last turn that was accepted and left such bytes. */
async function lastAccepted(db: Db, jobId: Id<'job'>, part: ResultPart) {
  return db
    .selectFrom('turn')
    .innerJoin('turn_result', 'turn_result.turn_id', 'turn.id')
    .select(['turn_result.turn_id', 'turn_result.base_commit'])
    .select(`turn_result.${part}_bytes as size_bytes`)
    .$narrowType<{ size_bytes: number }>()
    .where('turn.job_id', '=', jobId)
    .where('turn.status', '=', 'completed')
    .where(`turn_result.${part}_bytes`, 'is not', null)
    .orderBy('turn.number', 'desc')
    .limit(1)
    .executeTakeFirst()
}

export interface NotDone {
  prompt: string
  reason: string
}

const maxFailedTurnNotes = 5

/** What was asked for since the last turn that was accepted, oldest first: who says "try again" means that. */
export async function notDoneBefore(db: Db, jobId: Id<'job'>, number: number): Promise<NotDone[]> {
  const rows = await db
    .selectFrom('turn')
    .select(['turn.prompt', 'turn.status', 'turn.error_message'])
    .where('turn.job_id', '=', jobId)
    .where('turn.number', '<', number)
    .orderBy('turn.number', 'desc')
    .limit(maxFailedTurnNotes)
    .execute()
  const accepted = rows.findIndex(({ status }) => status === 'completed')
  return rows
    .slice(0, accepted === -1 ? undefined : accepted)
    .map(({ prompt, error_message }) => ({ prompt, reason: error_message ?? turnError('cancelled').message }))
    .toReversed()
}
