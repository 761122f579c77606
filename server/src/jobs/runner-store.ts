import { type Kysely, sql } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { isId, newId } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export interface Runner {
  id: Id<'run'>
  name: string
  /** Null: of all projects. */
  projectIds: readonly Id<'prj'>[] | null
}

/** A runner as one of its projects sees it. */
export interface ProjectRunner {
  id: Id<'run'>
  name: string
  /** It works for other projects too: only who runs the installation can revoke it. */
  isShared: boolean
  isOnline: boolean
  createdAt: Date
  lastSeenAt: Date | null
}

/** A claim waits for 50 s at most, and the next one follows. */
const onlineSeconds = 60

export class RunnerStore {
  readonly #db: Kysely<JobTables>
  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<JobTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async create(name: string, tokenHash: Buffer, projectIds: readonly Id<'prj'>[] | null): Promise<Runner> {
    const id = newId('run')
    await this.#db
      .insertInto('runner')
      .values({ id, name, token_hash: tokenHash, project_ids: projectIds ? [...projectIds] : null })
      .execute()
    return { id, name, projectIds }
  }

  /** It gets turns of this project alone. */
  async createFor(projectId: Id<'prj'>, name: string, tokenHash: Buffer, actor: Actor): Promise<ProjectRunner> {
    return this.#db.transaction().execute(async (tx) => {
      const runner = await tx
        .insertInto('runner')
        .values({ id: newId('run'), name, token_hash: tokenHash, project_ids: [projectId] })
        .returning(['id', 'created_at as createdAt'])
        .executeTakeFirstOrThrow()
      const act = { action: 'runner.created', subject: runner.id, detail: { name } } as const
      await this.#recordAudit(tx, projectId, actor, act)
      return { ...runner, name, isShared: false, isOnline: false, lastSeenAt: null }
    })
  }

  /** All that get this project's turns, newest first. One that works on a turn claims nothing meanwhile, and is there all the same. */
  async listFor(projectId: Id<'prj'>): Promise<ProjectRunner[]> {
    return this.#db
      .selectFrom('runner')
      .select(['id', 'name', 'created_at as createdAt', 'last_seen_at as lastSeenAt'])
      .select([
        sql<boolean>`project_ids IS DISTINCT FROM ARRAY[${projectId}]::text[]`.as('isShared'),
        sql<boolean>`coalesce(last_seen_at > now() - make_interval(secs => ${onlineSeconds}), false) OR EXISTS (
          SELECT FROM turn_attempt WHERE runner_id = runner.id AND claimed_at IS NOT NULL AND ended_at IS NULL)`.as(
          'isOnline',
        ),
      ])
      .where('revoked_at', 'is', null)
      .where(sql<boolean>`(project_ids IS NULL OR ${projectId} = ANY (project_ids))`)
      .orderBy('id', 'desc')
      .execute()
  }

  /** Asked at every claim: that is what makes a revocation hold at the next one. */
  async find(tokenHash: Buffer): Promise<Runner | undefined> {
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

  /** Revoking it again changes nothing. A shared one is not this project's to revoke. */
  async revokeFor(projectId: Id<'prj'>, id: string, actor: Actor): Promise<void> {
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
      if (runner.project_ids?.length !== 1) throw new Problem('insufficient_role', sharedRunner)
      if (runner.revoked_at) return
      await tx.updateTable('runner').set({ revoked_at: sql<Date>`now()` }).where('id', '=', id).execute()
      const act = { action: 'runner.revoked', subject: id, detail: { name: runner.name } } as const
      await this.#recordAudit(tx, projectId, actor, act)
    })
  }
}

const noSuchRunner = () => new Problem('not_found', 'The project has no such runner.')
const sharedRunner = 'This runner works for other projects too: only who runs the installation can revoke it.'
