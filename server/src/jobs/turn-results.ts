/** Results of turns. Bundles and sessions can be many megabytes, so they are read only where needed. */
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import { type BinaryResultPart, readResultChunks } from './result-chunks.ts'
import { cancelledTurnMessage, rejectedResultMessage } from './turn-errors.ts'

export interface StoredTurnResult {
  baseCommit: string
  /** The commit of the base branch that was merged. Null: the result is not a merge. */
  mergedCommit: string | null
  bundle: Buffer | null
  title: string | null
  summary: string | null
  reply: string | null
  checks: unknown[]
}

type Db = Database

/** Without the session, which publishing does not need. */
export async function readTurnResult(db: Db, turnId: Id<'trn'>): Promise<StoredTurnResult | undefined> {
  const row = await db
    .selectFrom('turn_result')
    .select(['base_commit', 'merged_commit', 'bundle_bytes', 'title', 'summary', 'reply', 'checks'])
    .where('turn_id', '=', turnId)
    .executeTakeFirst()
  return (
    row && {
      baseCommit: row.base_commit,
      mergedCommit: row.merged_commit,
      bundle: row.bundle_bytes === null ? null : await readResultChunks(db, turnId, 'bundle', row.bundle_bytes),
      title: row.title,
      summary: row.summary,
      reply: row.reply,
      checks: row.checks,
    }
  )
}

export async function readLastAgentSession(db: Db, jobId: Id<'job'>): Promise<Buffer | null> {
  const last = await findLastAccepted(db, jobId, 'session')
  return last ? readResultChunks(db, last.turn_id, 'session', last.size_bytes) : null
}

/**
 * What the job has done but not pushed: everything, if it does not push at all, or a result that a person was asked to approve. The
 * bundle contains everything since its base: each turn starts where the previous one ended.
 */
export async function readUnpublishedWork(
  db: Db,
  jobId: Id<'job'>,
  publish: 'pull_request' | 'diff',
): Promise<{ baseCommit: string; bundle: Buffer } | null> {
  const last = await findLastAccepted(db, jobId, 'bundle')
  if (!last || (publish === 'pull_request' && !(await isLastHeld(db, jobId, last.turn_id)))) return null
  return { baseCommit: last.base_commit, bundle: await readResultChunks(db, last.turn_id, 'bundle', last.size_bytes) }
}

/**
 * Whether the turn is the last completed one of its job, and a person was asked to approve its result. A merge is not continued: what
 * the base branch changed would count as changes of the agent.
 */
async function isLastHeld(db: Db, jobId: Id<'job'>, turnId: Id<'trn'>): Promise<boolean> {
  const last = await db
    .selectFrom('turn')
    .innerJoin('turn_result', 'turn_result.turn_id', 'turn.id')
    .select(['turn.id', 'turn.outcome', 'turn_result.merged_commit'])
    .where('turn.job_id', '=', jobId)
    .where('turn.status', '=', 'completed')
    .orderBy('turn.number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.id === turnId && last.outcome === 'awaiting_approval' && last.merged_commit === null
}

/** The last completed turn whose result has this part. */
async function findLastAccepted(db: Db, jobId: Id<'job'>, part: BinaryResultPart) {
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

export interface FailedMessage {
  prompt: string
  reason: string
}

const maxFailedTurnNotes = 5

/** Turns since the last completed one whose result was not rejected, oldest first. They are what a prompt like "try again" refers to. */
export async function readFailedMessagesBefore(db: Db, jobId: Id<'job'>, number: number): Promise<FailedMessage[]> {
  const rows = await db
    .selectFrom('turn')
    .select(['turn.prompt', 'turn.status', 'turn.outcome', 'turn.error_message'])
    .where('turn.job_id', '=', jobId)
    .where('turn.number', '<', number)
    .orderBy('turn.number', 'desc')
    .limit(maxFailedTurnNotes)
    .execute()
  const lastCompleted = rows.findIndex(({ status, outcome }) => status === 'completed' && outcome !== 'rejected')
  return rows
    .slice(0, lastCompleted === -1 ? undefined : lastCompleted)
    .map(({ prompt, outcome, error_message }) => ({
      prompt,
      reason: outcome === 'rejected' ? rejectedResultMessage : (error_message ?? cancelledTurnMessage),
    }))
    .toReversed()
}
