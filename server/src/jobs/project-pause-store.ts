/**
 * Pausing a project. Jobs and messages are still accepted, and wait. Runners release the turns that they work on, which does not
 * count against those, and nothing is published. All of it continues when the project is resumed.
 */
import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

export class ProjectPauseStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Runners learn of the pause with their next heartbeat. False: the project was already paused. */
  async pause(projectId: Id<'prj'>, actor: Actor): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      if (await lockPausedAt(tx, projectId)) return false
      await tx.updateTable('project').set({ paused_at: sql<Date>`now()` }).where('id', '=', projectId).execute()
      await recordAudit(tx, projectId, actor, { action: 'project.paused', subject: projectId, detail: {} })
      return true
    })
  }

  /** Every turn gets the time that it had left when the project was paused. False: the project was not paused. */
  async resume(projectId: Id<'prj'>, actor: Actor): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const pausedAt = await lockPausedAt(tx, projectId)
      if (!pausedAt) return false
      // Makes jobs with an unpublished result count as stalled, so that the dispatcher wakes them in its next round. Jobs are
      // updated before turns, in the order in which every other transaction locks them.
      await tx
        .updateTable('job')
        .set({ progressed_at: new Date(0) })
        .where('project_id', '=', projectId)
        .where('status', '=', 'active')
        .where('id', 'in', (query) =>
          query
            .selectFrom('turn')
            .innerJoin('turn_result', 'turn_result.turn_id', 'turn.id')
            .select('turn.job_id')
            .where('turn.project_id', '=', projectId)
            .where('turn.status', 'in', ['running', 'publishing']),
        )
        .execute()
      await tx
        .updateTable('turn')
        .set({ deadline_at: sql<Date>`deadline_at + (now() - ${pausedAt}::timestamptz)` })
        .where('project_id', '=', projectId)
        .where('status', '=', 'running')
        .where('deadline_at', 'is not', null)
        .execute()
      await tx
        .updateTable('project')
        .set({ paused_at: null, resumed_at: sql<Date>`now()` })
        .where('id', '=', projectId)
        .execute()
      await recordAudit(tx, projectId, actor, { action: 'project.resumed', subject: projectId, detail: {} })
      return true
    })
  }
}

async function lockPausedAt(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<Date | null> {
  const project = await tx
    .selectFrom('project')
    .select('paused_at')
    .where('id', '=', projectId)
    .where('deleted_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!project) throw new Problem('not_found', 'There is no such project.')
  return project.paused_at
}
