/**
 * Deletes projects. The request ends all access and all work at once, in one transaction. Everything else is deleted step by step in
 * `worker` (activities/project-deleter.ts). Every step can be repeated, and the row of the project goes last.
 */
import { sql } from 'kysely'
import { type Actor, formatActor, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { deletedTables } from './project-tables.ts'
import type { WebhookState } from './tables.ts'

export interface ProjectDeletion {
  projectId: Id<'prj'>
  requestedAt: Date
  webhook: WebhookState
  areViewsDeleted: boolean
  /** By PostgreSQL's clock. */
  ageSeconds: number
}

export interface ListedDeletion extends ProjectDeletion {
  completedAt: Date | null
}

/** The database keeps audit entries at least as long. */
export const deletedProjectAuditDays = 90
const maxListed = 1_000

export class ProjectDeletionStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /**
   * From the commit on, no key, site key, runner, invitation or role of the project works, no job is accepted, claimed or published, and
   * no model is called. `name` is what the caller believes the project is called, so that nobody deletes the wrong one.
   */
  async request(projectId: Id<'prj'>, { name }: { name: string }, actor: Actor): Promise<Date> {
    return this.#db.transaction().execute(async (tx) => {
      // FOR UPDATE: no row that references the project is being inserted when this continues.
      const project = await tx
        .selectFrom('project')
        .select(['name', 'deleted_at'])
        .where('id', '=', projectId)
        .forUpdate()
        .executeTakeFirst()
      if (!project || project.deleted_at) throw noSuchProject()
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      if (name !== project.name)
        throw new Problem(
          'invalid_request',
          'The name does not match. Send the exact name of the project that is to be deleted.',
        )
      await tx
        .updateTable('project')
        .set({ deleted_at: sql<Date>`now()`, paused_at: sql<Date>`coalesce(paused_at, now())` })
        .where('id', '=', projectId)
        .execute()
      await endAccess(tx, projectId)
      const { requested_at } = await tx
        .insertInto('project_deletion')
        .values({ project_id: projectId, requested_by: formatActor(actor) })
        .returning('requested_at')
        .executeTakeFirstOrThrow()
      await recordInstanceAudit(tx, actor, { action: 'project.deleted', subject: projectId, detail: { name } })
      return requested_at
    })
  }

  /** For a project that is deleted already, after a backup from before was restored. False: no such deletion is known. */
  async repeat(projectId: Id<'prj'>): Promise<boolean> {
    const repeated = await this.#db
      .updateTable('project_deletion')
      .set({ completed_at: null, views_deleted_at: null, writers_below: null, last_view_batch_id: null })
      .where('project_id', '=', projectId)
      .returning('project_id')
      .executeTakeFirst()
    return repeated !== undefined
  }

  /** Newest first. */
  async list(): Promise<ListedDeletion[]> {
    return this.#db
      .selectFrom('project_deletion')
      .select([...columns, 'completed_at as completedAt'])
      .orderBy('requested_at', 'desc')
      .limit(maxListed)
      .execute()
  }

  /** The one that has waited longest, unless another worker works on it. It is due again after the lease, even if this worker dies. */
  async lease(seconds: number): Promise<ProjectDeletion | undefined> {
    return this.#db
      .updateTable('project_deletion')
      .set({ leased_until: leaseEnd(seconds) })
      .where('project_id', '=', (query) =>
        query
          .selectFrom('project_deletion')
          .select('project_id')
          .where('completed_at', 'is', null)
          .where('leased_until', '<', sql<Date>`now()`)
          .orderBy('leased_until')
          .limit(1)
          .forUpdate()
          .skipLocked(),
      )
      .returning(columns)
      .executeTakeFirst()
  }

  /** No worker continues it before this time has passed. */
  async renew({ projectId }: ProjectDeletion, seconds: number): Promise<void> {
    await this.#db
      .updateTable('project_deletion')
      .set({ leased_until: leaseEnd(seconds) })
      .where('project_id', '=', projectId)
      .execute()
  }

  /** `left` is recorded in the audit log of the instance: someone has to remove the webhook by hand. */
  async recordWebhook({ projectId }: ProjectDeletion, webhook: 'removed' | 'left', repository: string): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const changed = await tx
        .updateTable('project_deletion')
        .set({ webhook })
        .where('project_id', '=', projectId)
        .where('webhook', '=', 'pending')
        .returning('project_id')
        .executeTakeFirst()
      if (!changed || webhook === 'removed') return
      const detail = { repository, webhook: `/v1/webhooks/${projectId}` }
      await recordInstanceAudit(
        tx,
        { kind: 'code-host' },
        { action: 'project.webhook_left', subject: projectId, detail },
      )
    })
  }

  /**
   * The next jobs to delete. Not those with a model call in progress, unless `withCallsInProgress`: a call that is settled after its job
   * was deleted counts with its reservation, which is more than it used.
   */
  async listJobs(
    { projectId }: ProjectDeletion,
    { limit, withCallsInProgress }: { limit: number; withCallsInProgress: boolean },
  ): Promise<Id<'job'>[]> {
    const rows = await this.#db
      .selectFrom('job')
      .select('id')
      .where('project_id', '=', projectId)
      .where(
        sql<boolean>`(${withCallsInProgress} OR NOT EXISTS (
          SELECT FROM model_call WHERE model_call.project_id = job.project_id AND job_id = job.id AND settled_at IS NULL))`,
      )
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id }) => id)
  }

  async deleteJobs({ projectId }: ProjectDeletion, jobIds: readonly Id<'job'>[]): Promise<void> {
    await this.#db.deleteFrom('job').where('project_id', '=', projectId).where('id', 'in', jobIds).execute()
  }

  async hasJobs({ projectId }: ProjectDeletion): Promise<boolean> {
    const job = await this.#db.selectFrom('job').select('id').where('project_id', '=', projectId).limit(1).execute()
    return job.length > 0
  }

  /** Of the tables that can be large. Returns how many rows were deleted. */
  async deleteRows({ projectId }: ProjectDeletion, limit: number): Promise<number> {
    let deleted = 0
    for (const table of ['script_page', 'idempotency_key', 'source_event_count']) {
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM ${sql.table(table)} WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM ${sql.table(table)} WHERE project_id = ${projectId} LIMIT ${limit}))`.execute(this.#db)
      deleted += Number(numAffectedRows)
    }
    return deleted
  }

  async recordViewsDeleted({ projectId }: ProjectDeletion): Promise<void> {
    await this.#db
      .updateTable('project_deletion')
      .set({ views_deleted_at: sql<Date>`now()` })
      .where('project_id', '=', projectId)
      .execute()
  }

  /** Deletes what is left, with the row of the project, and checks that no table names it any more. */
  async complete({ projectId }: ProjectDeletion): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await endAccess(tx, projectId) // rows that were added by requests that were in progress
      await moveSpend(tx, projectId)
      await tx.deleteFrom('model_period').where('scope', '=', projectId).execute()
      await tx.deleteFrom('budget_notice').where('scope', '=', projectId).execute()
      await tx.deleteFrom('webhook_delivery').where('sender', '=', projectId).execute()
      await sql`DELETE FROM runner WHERE project_ids = ARRAY[${projectId}]::text[]`.execute(tx)
      for (const table of ['runner', 'model'])
        await sql`UPDATE ${sql.table(table)} SET project_ids = array_remove(project_ids, ${projectId})
          WHERE ${projectId} = ANY (project_ids)`.execute(tx)
      await tx.deleteFrom('project').where('id', '=', projectId).execute()
      const left = await findRemaining(tx, projectId)
      if (left.length > 0) throw new Error(`rows of the deleted project ${projectId} are left in ${left.join(', ')}`)
      await tx
        .updateTable('project_deletion')
        .set({ completed_at: sql<Date>`now()`, requested_by: null })
        .where('project_id', '=', projectId)
        .execute()
    })
  }

  /** Deletes audit entries of projects that were deleted long enough ago. Returns how many. */
  async deleteExpiredAudit(limit: number): Promise<number> {
    return this.#db.transaction().execute(async (tx) => {
      await sql`SELECT set_config('colophon.audit_retention', 'on', true)`.execute(tx)
      const expired = sql`completed_at < now() - make_interval(days => ${deletedProjectAuditDays})`
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM audit_entry WHERE (project_id, id) IN (
          SELECT audit_entry.project_id, id FROM project_deletion JOIN audit_entry USING (project_id)
          WHERE ${expired} LIMIT ${limit})`.execute(tx)
      if (numAffectedRows < limit) await sql`DELETE FROM project_deletion WHERE ${expired}`.execute(tx)
      return Number(numAffectedRows)
    })
  }
}

const columns = [
  'project_id as projectId',
  'requested_at as requestedAt',
  'webhook',
  sql<boolean>`views_deleted_at IS NOT NULL`.as('areViewsDeleted'),
  sql<number>`extract(epoch FROM now() - requested_at)::float8`.as('ageSeconds'),
] as const

const leaseEnd = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

async function endAccess(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  await tx.deleteFrom('api_key').where('project_id', '=', projectId).execute()
  await tx.deleteFrom('federated_identity').where('project_id', '=', projectId).execute()
  await tx.deleteFrom('log_drain').where('project_id', '=', projectId).execute()
  await tx.deleteFrom('site_key').where('project_id', '=', projectId).execute()
  await tx.deleteFrom('invitation').where('project_id', '=', projectId).execute()
  await tx.deleteFrom('project_member').where('project_id', '=', projectId).execute()
  // Its attempts reference it, so that the row is deleted after the jobs.
  await sql`UPDATE runner SET revoked_at = coalesce(revoked_at, now())
    WHERE project_ids = ARRAY[${projectId}]::text[]`.execute(tx)
}

/** The spend of the instance stays the same: the sums are kept without the project. */
async function moveSpend(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  await sql`
    WITH moved AS (DELETE FROM model_day WHERE project_id = ${projectId} RETURNING *)
    INSERT INTO deleted_project_spend AS total (day, model, calls, tokens, cost_usd, unpriced_tokens)
    SELECT day, model, calls, tokens, cost_usd, unpriced_tokens FROM moved ORDER BY day, model
    ON CONFLICT (day, model) DO UPDATE
    SET calls = total.calls + excluded.calls, tokens = total.tokens + excluded.tokens,
      cost_usd = total.cost_usd + excluded.cost_usd,
      unpriced_tokens = total.unpriced_tokens + excluded.unpriced_tokens`.execute(tx)
}

async function findRemaining(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<string[]> {
  const left: string[] = []
  for (const [table, column] of Object.entries(deletedTables)) {
    const named =
      column === 'project_ids' ? sql`${projectId} = ANY (project_ids)` : sql`${sql.ref(column)} = ${projectId}`
    const { rows } = await sql`SELECT FROM ${sql.table(table)} WHERE ${named} LIMIT 1`.execute(tx)
    if (rows.length > 0) left.push(table)
  }
  return left
}

const noSuchProject = () => new Problem('not_found', 'There is no project with this ID.')
