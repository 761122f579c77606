/** The decision of a person about a held result. An approved turn is queued again with its result, and only published. */
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId } from '../platform/ids.ts'
import type { Job } from './job.ts'
import { jobNotFoundProblem, type LockedJob, lockJob, transitionJob } from './job-transition.ts'
import { readJob } from './read-job.ts'

type Decision = 'approved' | 'rejected'

export class ApprovalStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The job becomes active again and the caller wakes it. */
  approve(projectId: Id<'prj'>, jobId: string, diffSha256: string, actor: Actor): Promise<Job> {
    return this.#decide(projectId, jobId, diffSha256, 'approved', actor, async (tx, locked, turn) => {
      await transitionJob(tx, locked, { type: 'approve', turn: turn.number })
      // The branch had time to move, so the turn may be restarted once more. What it does then is held again.
      await tx.updateTable('turn').set({ restarted: false }).where('id', '=', turn.id).execute()
    })
  }

  /** The job stays completed. The next turn starts without the rejected changes. */
  reject(projectId: Id<'prj'>, jobId: string, diffSha256: string, actor: Actor): Promise<Job> {
    return this.#decide(projectId, jobId, diffSha256, 'rejected', actor, async (tx, { jobId: id, at }, turn) => {
      await tx.updateTable('turn').set({ outcome: 'rejected' }).where('id', '=', turn.id).execute()
      await tx
        .updateTable('job')
        .set({ outcome: 'rejected', updated_at: at })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .execute()
    })
  }

  /** Repeating the same decision has no effect, so that a client can repeat a request whose response was lost. */
  async #decide(
    projectId: Id<'prj'>,
    jobId: string,
    diffSha256: string,
    decision: Decision,
    actor: Actor,
    apply: (tx: DatabaseTransaction, locked: LockedJob, turn: { id: Id<'trn'>; number: number }) => Promise<void>,
  ): Promise<Job> {
    if (!isId('job', jobId)) throw jobNotFoundProblem()
    return this.#db.transaction().execute(async (tx) => {
      const locked = await lockJob(tx, projectId, jobId)
      const held = await findLastHeld(tx, locked)
      const isNamed = held?.diff_sha256 === diffSha256
      if (held && isNamed && held.decision === decision) return readJob(tx, projectId, jobId)
      const isPending = held && locked.state.status === 'completed' && held.outcome === 'awaiting_approval'
      if (!isPending || !isNamed)
        throw new Problem(
          'not_awaiting_approval',
          isPending
            ? 'Another result awaits approval than the one that you named. Get the job and read its diff again.'
            : 'The job has no result that awaits approval.',
        )
      await tx
        .updateTable('held_result')
        .set({ decision, decided_at: locked.at })
        .where('turn_id', '=', held.id)
        .execute()
      await apply(tx, locked, held)
      await recordAudit(tx, projectId, actor, {
        action: decision === 'approved' ? 'job.approved' : 'job.rejected',
        subject: jobId,
        detail: { diffSha256 },
      })
      return readJob(tx, projectId, jobId)
    })
  }
}

/** Of the last turn: a later message replaces a result that was held. */
async function findLastHeld(tx: DatabaseTransaction, { projectId, jobId, state }: LockedJob) {
  const last = state.turns.at(-1)
  if (!last) return undefined
  return tx
    .selectFrom('turn')
    .innerJoin('held_result', 'held_result.turn_id', 'turn.id')
    .select(['turn.id', 'turn.number', 'turn.outcome', 'held_result.diff_sha256', 'held_result.decision'])
    .where('turn.project_id', '=', projectId)
    .where('turn.job_id', '=', jobId)
    .where('turn.number', '=', last.number)
    .executeTakeFirst()
}
