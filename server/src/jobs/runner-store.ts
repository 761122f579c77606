import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { isId, newId } from '../platform/ids.ts'

export interface Runner {
  id: Id<'run'>
  name: string
  /** The projects whose turns it gets. Null: all projects. */
  projectIds: readonly Id<'prj'>[] | null
}

/** A runner as an operator sees it. */
export interface InstanceRunner extends Runner {
  isOnline: boolean
  lastSeenAt: Date | null
}

/** A runner as shown to one of its projects. */
export interface ProjectRunner {
  id: Id<'run'>
  name: string
  /** The runner also serves other projects, so only an operator can revoke it. */
  isShared: boolean
  isOnline: boolean
  createdAt: Date
  lastSeenAt: Date | null
}

/** A claim waits for up to 50 s, and an idle runner claims again immediately. */
const onlineSeconds = 60

/** A runner that is busy with a turn does not claim, but is online. */
const isOnline = sql<boolean>`coalesce(last_seen_at > now() - make_interval(secs => ${onlineSeconds}), false) OR EXISTS (
  SELECT FROM turn_attempt WHERE runner_id = runner.id AND claimed_at IS NOT NULL AND ended_at IS NULL)`

export class RunnerStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async create(name: string, tokenHash: Buffer, projectIds: readonly Id<'prj'>[] | null): Promise<Runner> {
    const id = newId('run')
    await this.#db
      .insertInto('runner')
      .values({ id, name, token_hash: tokenHash, project_ids: projectIds ? [...projectIds] : null })
      .execute()
    return { id, name, projectIds }
  }

  /** Returns whether there was no runner with this token. A revoked one stays revoked. */
  async createIfMissing(name: string, tokenHash: Buffer, projectIds: readonly Id<'prj'>[] | null): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('runner')
      .values({ id: newId('run'), name, token_hash: tokenHash, project_ids: projectIds ? [...projectIds] : null })
      .onConflict((conflict) => conflict.column('token_hash').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  /** Creates a runner that gets turns of this project only. */
  async createForProject(projectId: Id<'prj'>, name: string, tokenHash: Buffer, actor: Actor): Promise<ProjectRunner> {
    return this.#db.transaction().execute(async (tx) => {
      const runner = await tx
        .insertInto('runner')
        .values({ id: newId('run'), name, token_hash: tokenHash, project_ids: [projectId] })
        .returning(['id', 'created_at as createdAt'])
        .executeTakeFirstOrThrow()
      const entry = { action: 'runner.created', subject: runner.id, detail: { name } } as const
      await recordAudit(tx, projectId, actor, entry)
      return { ...runner, name, isShared: false, isOnline: false, lastSeenAt: null }
    })
  }

  /** All runners of the instance that are not revoked, newest first. */
  async list(): Promise<InstanceRunner[]> {
    return this.#db
      .selectFrom('runner')
      .select(['id', 'name', 'project_ids as projectIds', 'last_seen_at as lastSeenAt', isOnline.as('isOnline')])
      .where('revoked_at', 'is', null)
      .orderBy('id', 'desc')
      .execute()
  }

  /** All runners that get this project's turns, newest first. */
  async listForProject(projectId: Id<'prj'>): Promise<ProjectRunner[]> {
    return this.#db
      .selectFrom('runner')
      .select(['id', 'name', 'created_at as createdAt', 'last_seen_at as lastSeenAt'])
      .select([
        sql<boolean>`project_ids IS DISTINCT FROM ARRAY[${projectId}]::text[]`.as('isShared'),
        isOnline.as('isOnline'),
      ])
      .where('revoked_at', 'is', null)
      .where(sql<boolean>`(project_ids IS NULL OR ${projectId} = ANY (project_ids))`)
      .orderBy('id', 'desc')
      .execute()
  }

  /** Called at every claim, so a revocation takes effect at the next one. */
  async findByTokenHash(tokenHash: Buffer): Promise<Runner | undefined> {
    const row = await this.#db
      .updateTable('runner')
      .set({ last_seen_at: sql<Date>`now()` })
      .where('token_hash', '=', tokenHash)
      .where('revoked_at', 'is', null)
      .returning(['id', 'name', 'project_ids as projectIds'])
      .executeTakeFirst()
    return row
  }

  async revoke(id: Id<'run'>): Promise<boolean> {
    const row = await this.#db
      .updateTable('runner')
      .set({ revoked_at: sql<Date>`now()` })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  }

  /** Revoking a runner again has no effect. A project cannot revoke a shared runner. */
  async revokeForProject(projectId: Id<'prj'>, id: string, actor: Actor): Promise<void> {
    if (!isId('run', id)) throw noSuchRunner()
    await this.#db.transaction().execute(async (tx) => {
      const runner = await tx
        .selectFrom('runner')
        .select(['name', 'project_ids', 'revoked_at'])
        .where('id', '=', id)
        .where(sql<boolean>`(project_ids IS NULL OR ${projectId} = ANY (project_ids))`)
        .forUpdate()
        .executeTakeFirst()
      if (!runner) throw noSuchRunner()
      if (runner.project_ids?.length !== 1) throw new Problem('insufficient_role', sharedRunnerDetail)
      if (runner.revoked_at) return
      await tx.updateTable('runner').set({ revoked_at: sql<Date>`now()` }).where('id', '=', id).execute()
      const entry = { action: 'runner.revoked', subject: id, detail: { name: runner.name } } as const
      await recordAudit(tx, projectId, actor, entry)
    })
  }
}

const noSuchRunner = () => new Problem('not_found', 'The project has no runner with this ID.')
const sharedRunnerDetail = 'This runner also serves other projects. Ask an operator of this instance to revoke it.'
