/** Every change of a job's state: the row is locked, `apply` decides, what changed is written. */
import { type Kysely, sql, type Transaction } from 'kysely'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { apply, type JobEvent, type JobState, maxQueuedMessages, type Refusal, type TurnState } from './job-state.ts'
import type { JobTables } from './tables.ts'

export interface LockedJob {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  state: JobState
}

/** Message, cancel, archive and the worker's own steps all wait here for each other. */
export async function lockJob(tx: Transaction<JobTables>, projectId: Id<'prj'>, jobId: Id<'job'>): Promise<LockedJob> {
  const state = await readState(tx, projectId, jobId, { lock: true })
  if (!state) throw noSuchJob()
  return { projectId, jobId, state }
}

/** Why the event would be refused as things stand, without waiting for anybody. */
export async function refusalOf(
  db: Kysely<JobTables>,
  projectId: Id<'prj'>,
  jobId: Id<'job'>,
  event: JobEvent,
): Promise<Error | undefined> {
  const state = await readState(db, projectId, jobId, { lock: false })
  if (!state) return noSuchJob()
  const decided = apply(state, event)
  return 'refused' in decided ? refusalProblem(decided.refused) : undefined
}

async function readState(
  db: Kysely<JobTables>,
  projectId: Id<'prj'>,
  jobId: Id<'job'>,
  { lock }: { lock: boolean },
): Promise<JobState | undefined> {
  const job = await db
    .selectFrom('job')
    .select(['status', 'pending_stop'])
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .$if(lock, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  if (!job) return undefined
  const turns = await db
    .selectFrom('turn')
    .select(['number', 'status'])
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    .orderBy('number')
    .execute()
  return { status: job.status, pendingStop: job.pending_stop, turns }
}

/** Writes the new state; the turns that `message` adds are the caller's to insert, because only it knows their prompts. */
export async function transition(
  tx: Transaction<JobTables>,
  { projectId, jobId, state }: LockedJob,
  event: JobEvent,
  at: Date,
): Promise<JobState> {
  const decided = apply(state, event)
  if ('refused' in decided) throw refusalProblem(decided.refused)
  const next = decided.state
  if (next === state) return state // nothing happened, so nothing says that it did: `updated_at` is what clients and the idle see
  for (const turn of changedTurns(state, next)) {
    await tx
      .updateTable('turn')
      .set({
        status: turn.status,
        ...(turn.status === 'running' && { started_at: at, publishing_started_at: null }),
        ...(turn.status === 'publishing' && { publishing_started_at: at }),
        ...(isEnded(turn) && { ended_at: at }),
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
      ...(next.status === 'archived' && { archived_at: sql<Date>`coalesce(archived_at, ${at})` }),
      ...(next.status === 'active' && { outcome: null, error_code: null, error_message: null }),
      ...(stoppedWhileWaiting(state, next) && { outcome: 'cancelled' as const }),
    })
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .execute()
  return next
}

const isEnded = ({ status }: TurnState) => status === 'completed' || status === 'failed' || status === 'dropped'

const changedTurns = (before: JobState, after: JobState) =>
  after.turns.filter(({ number, status }) => {
    const known = before.turns.find((turn) => turn.number === number)
    return known !== undefined && known.status !== status
  })

/** Nothing was in hand: the stop itself is how the job ended. */
const stoppedWhileWaiting = (before: JobState, after: JobState) =>
  before.status === 'active' &&
  (after.status === 'failed' || after.status === 'archived') &&
  changedTurns(before, after).every(({ status }) => status === 'dropped')

export const noSuchJob = () => new Problem('not_found', 'The project has no such job.')

function refusalProblem(refused: Refusal): Error {
  switch (refused) {
    case 'job_archived':
      return new Problem('job_archived', 'The job is archived and takes no messages: create a new job.')
    case 'queue_full':
      return new Problem(
        'queue_full',
        `The job has ${maxQueuedMessages} waiting messages: send more when some are done.`,
      )
    case 'not_cancellable':
      return new Problem('not_cancellable', 'The job is not active: there is nothing to cancel.')
    case 'stop_requested':
    case 'not_that_turn':
      return new TurnRefused(refused)
  }
}

/** For the worker alone: the turn it speaks of was stopped, or is no longer in hand. */
export class TurnRefused extends Error {
  readonly refused: 'stop_requested' | 'not_that_turn'
  constructor(refused: 'stop_requested' | 'not_that_turn') {
    super(refused)
    this.refused = refused
  }
}
