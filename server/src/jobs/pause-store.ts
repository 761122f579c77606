/** Pausing a project: jobs are still accepted and wait; turns under way are handed back, as if they had not been taken up. */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export class PauseStore {
  readonly #db: Kysely<JobTables>
  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<JobTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  /** Runners hear of it with their next sign of life. False: it was paused before. */
  async pause(projectId: Id<'prj'>, actor: Actor): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      if (await lockPausedAt(tx, projectId)) return false
      await tx.updateTable('project').set({ paused_at: sql<Date>`now()` }).where('id', '=', projectId).execute()
      await this.#recordAudit(tx, projectId, actor, { action: 'project.paused', subject: projectId, detail: {} })
      return true
    })
  }

  /** What was left of each turn's time is left of it again. False: it was not paused. */
  async resume(projectId: Id<'prj'>, actor: Actor): Promise<boolean> {
    return this.#db.transaction().execute(async (tx) => {
      const pausedAt = await lockPausedAt(tx, projectId)
      if (!pausedAt) return false
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
      await this.#recordAudit(tx, projectId, actor, { action: 'project.resumed', subject: projectId, detail: {} })
      return true
    })
  }
}

async function lockPausedAt(tx: Transaction<JobTables>, projectId: Id<'prj'>): Promise<Date | null> {
  const project = await tx
    .selectFrom('project')
    .select('paused_at')
    .where('id', '=', projectId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!project) throw new Problem('not_found', 'There is no such project.')
  return project.paused_at
}
