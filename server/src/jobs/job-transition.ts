/** Changes the state of a job: locks the row, calls `apply` and writes what changed. */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import {
  applyEvent,
  type JobState,
  type JobTransitionEvent,
  maxQueuedMessages,
  type TransitionRejection,
  type TurnState,
} from './job-state.ts'

export interface LockedJob {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  state: JobState
  /** PostgreSQL's time after the lock was acquired. All times of jobs are PostgreSQL's: the clocks of processes may differ. */
  at: Date
}

/** Messages, cancel, archive and the steps of the worker exclude each other through this lock. */
export async function lockJob(tx: DatabaseTransaction, projectId: Id<'prj'>, jobId: Id<'job'>): Promise<LockedJob> {
  const read = await readState(tx, projectId, jobId, { lock: true })
  if (!read) throw jobNotFoundProblem()
  return { projectId, jobId, ...read }
}

/** Returns why the event would be rejected in the current state, without waiting for the lock. */
export async function findTransitionRejection(
  db: Database,
  projectId: Id<'prj'>,
  jobId: Id<'job'>,
  event: JobTransitionEvent,
): Promise<Error | undefined> {
  const read = await readState(db, projectId, jobId, { lock: false })
  if (!read) return jobNotFoundProblem()
  const result = applyEvent(read.state, event)
  return 'rejected' in result ? toError(result.rejected) : undefined
}

async function readState(
  db: Database,
  projectId: Id<'prj'>,
  jobId: Id<'job'>,
  { lock }: { lock: boolean },
): Promise<{ state: JobState; at: Date } | undefined> {
  const job = await db
    .selectFrom('job')
    .select(['status', 'pending_stop'])
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .$if(lock, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!job) return undefined
  // Not all turns: a job with a topic may have thousands.
  const { rows } = await sql<TurnState & { at: Date }>`
    SELECT number, status, clock_timestamp() AS at FROM turn
    WHERE project_id = ${projectId} AND job_id = ${jobId} AND (status IN ('queued', 'running', 'publishing')
      OR number = (SELECT max(number) FROM turn WHERE project_id = ${projectId} AND job_id = ${jobId}))
    ORDER BY number`.execute(db)
  const [first] = rows
  if (!first) throw new Error(`job ${jobId} has no turns`)
  const turns = rows.map(({ number, status }) => ({ number, status }))
  return { state: { status: job.status, pendingStop: job.pending_stop, turns }, at: first.at }
}

/** Writes the new state. The caller inserts the turn that a `message` adds, because only the caller has its prompt. */
export async function transitionJob(
  tx: DatabaseTransaction,
  { projectId, jobId, state, at }: LockedJob,
  event: JobTransitionEvent,
): Promise<JobState> {
  const result = applyEvent(state, event)
  if ('rejected' in result) throw toError(result.rejected)
  const next = result.state
  if (next === state) return state // without a change `updated_at` must stay: clients and the archiving of idle jobs rely on it
  for (const turn of changedTurns(state, next)) {
    await tx
      .updateTable('turn')
      .set({
        status: turn.status,
        ...(turn.status === 'running' && { publishing_started_at: null }),
        ...(turn.status === 'running' && event.type !== 'pause' && { started_at: at }),
        ...(turn.status === 'publishing' && { publishing_started_at: at }),
        ...(isEnded(turn) && { ended_at: at }),
        ...(event.type === 'approve' && { ended_at: null, publishing_started_at: null, outcome: null }),
        ...(turn.status === 'dropped' && { outcome: 'cancelled' }),
      })
      .where('project_id', '=', projectId)
      .where('job_id', '=', jobId)
      .where('number', '=', turn.number)
      .execute()
  }
  await tx
    .updateTable('job')
    .set({
      status: next.status,
      pending_stop: next.pendingStop,
      updated_at: at,
      progressed_at: at,
      stalled_wakes: 0,
      ...(next.status === 'archived' && { archived_at: sql<Date>`coalesce(archived_at, ${at})` }),
      ...(next.status === 'active' && { outcome: null, error_code: null, error_message: null }),
      ...(stoppedWhileQueued(state, next) && { outcome: 'cancelled' as const }),
    })
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .execute()
  return next
}

const isEnded = ({ status }: TurnState) => status === 'completed' || status === 'failed' || status === 'dropped'

const changedTurns = (before: JobState, after: JobState) =>
  after.turns.filter(({ number, status }) => {
    const previous = before.turns.find((turn) => turn.number === number)
    return previous !== undefined && previous.status !== status
  })

/** There was no current turn, so the stop itself ended the job. */
const stoppedWhileQueued = (before: JobState, after: JobState) =>
  before.status === 'active' &&
  (after.status === 'failed' || after.status === 'archived') &&
  changedTurns(before, after).every(({ status }) => status === 'dropped')

export const jobNotFoundProblem = () => new Problem('not_found', 'The project has no job with this ID.')

function toError(rejection: TransitionRejection): Error {
  switch (rejection) {
    case 'job_archived':
      return new Problem('job_archived', 'The job is archived and accepts no messages. Create a new job.')
    case 'queue_full':
      return new Problem(
        'queue_full',
        `The job already has ${maxQueuedMessages} queued messages. Send more when some of them are done.`,
      )
    case 'not_cancellable':
      return new Problem('not_cancellable', 'The job is not active, so there is nothing to cancel.')
    case 'stop_requested':
    case 'not_current_turn':
      return new TurnTransitionRejectedError(rejection)
  }
}

/** Thrown to the worker only: a stop of the turn was requested, or the turn is no longer the current one. */
export class TurnTransitionRejectedError extends Error {
  readonly reason: 'stop_requested' | 'not_current_turn'
  constructor(reason: 'stop_requested' | 'not_current_turn') {
    super(reason)
    this.reason = reason
  }
}
