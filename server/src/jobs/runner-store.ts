import { sql } from 'kysely'
import { type Actor, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { isId, newId } from '../platform/ids.ts'

export interface Runner {
  id: Id<'run'>
  name: string
  /** The projects whose turns it gets. Null: all projects. */
  projectIds: readonly Id<'prj'>[] | null
}

export interface NewRunner extends Omit<Runner, 'id'> {
  tokenHash: Buffer
  /** Null: the token does not expire. */
  expiresAt: Date | null
}

interface RunnerState {
  /** Who created the runner, as in the audit log. Null: not recorded. */
  createdBy: string | null
  isOnline: boolean
  lastSeenAt: Date | null
  /** Null: the token does not expire. */
  expiresAt: Date | null
}

/** A runner as an operator sees it. */
export interface InstanceRunner extends Runner, RunnerState {}

/** A runner as shown to one of its projects. */
export interface ProjectRunner extends RunnerState {
  id: Id<'run'>
  name: string
  /** The runner also serves other projects, so only an operator can revoke it. */
  isShared: boolean
  createdAt: Date
  /** Who kept the runner when its creator lost access, as in the audit log. */
  takenOverBy: string | null
  /** Until when the token before the last rotation is valid. Null: it is not. */
  previousTokenExpiresAt: Date | null
}

export interface TokenRotation {
  tokenHash: Buffer
  /** How long the old token stays valid. */
  overlapHours: number
  /** When the new token expires. Null: never. */
  expiresAt: Date | null
}

/** A claim waits for up to 50 s, and an idle runner claims again immediately. */
const onlineSeconds = 60

/** An upgrade or a restart of the machine takes less. */
const offlineMinutes = 5

/** A runner that is busy with a turn does not claim, but is online. */
const isOnline = sql<boolean>`coalesce(last_seen_at > now() - make_interval(secs => ${onlineSeconds}), false) OR EXISTS (
  SELECT FROM turn_attempt WHERE runner_id = runner.id AND claimed_at IS NOT NULL AND ended_at IS NULL)`

const stateColumns = [
  'created_by as createdBy',
  'last_seen_at as lastSeenAt',
  'expires_at as expiresAt',
  isOnline.as('isOnline'),
] as const

const hasValidPreviousToken = sql<boolean>`coalesce(previous_token_expires_at > now(), false)`

/** More than any team needs. A leaked key must not be able to fill the table. */
const maxRunnersPerProject = 200

export class RunnerStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** For `colophon-server admin`. Runners of several projects have no audit entry. */
  async create(runner: NewRunner, actor: Actor): Promise<Runner> {
    const { id } = await this.#db
      .insertInto('runner')
      .values(toRow(runner, actor))
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, name: runner.name, projectIds: runner.projectIds }
  }

  /** Returns whether there was no runner with this token. A revoked one stays revoked. */
  async createIfMissing(runner: NewRunner, actor: Actor): Promise<boolean> {
    const { numInsertedOrUpdatedRows } = await this.#db
      .insertInto('runner')
      .values(toRow(runner, actor))
      .onConflict((conflict) => conflict.column('token_hash').doNothing())
      .executeTakeFirst()
    return numInsertedOrUpdatedRows === 1n
  }

  /** Creates a runner that gets turns of this project only. */
  async createForProject(
    projectId: Id<'prj'>,
    { name, tokenHash, expiresAt }: Omit<NewRunner, 'projectIds'>,
    actor: Actor,
  ): Promise<ProjectRunner> {
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      const { count } = await tx
        .selectFrom('runner')
        .select(sql<string>`count(*)`.as('count'))
        .where('project_ids', '@>', sql<Id<'prj'>[]>`ARRAY[${projectId}]::text[]`)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxRunnersPerProject)
        throw new Problem(
          'invalid_request',
          `The project has ${maxRunnersPerProject} runners, which is the maximum. Revoke some first.`,
        )
      const { id } = await tx
        .insertInto('runner')
        .values(toRow({ name, tokenHash, expiresAt, projectIds: [projectId] }, actor))
        .returning('id')
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, actor, {
        action: 'runner.created',
        subject: id,
        detail: { name, ...(expiresAt && { expiresAt }) },
      })
      return getForProject(tx, projectId, id)
    })
  }

  /** All runners of the instance that are not revoked, newest first. */
  async list(): Promise<InstanceRunner[]> {
    return this.#db
      .selectFrom('runner')
      .select(['id', 'name', 'project_ids as projectIds'])
      .select(stateColumns)
      .where('revoked_at', 'is', null)
      .orderBy('id', 'desc')
      .execute()
  }

  /** All runners that get this project's turns, newest first. */
  async listForProject(projectId: Id<'prj'>): Promise<ProjectRunner[]> {
    return selectForProject(this.#db, projectId).where('revoked_at', 'is', null).orderBy('id', 'desc').execute()
  }

  /** Called at every claim, so a revocation takes effect at the next one. */
  async findByTokenHash(tokenHash: Buffer): Promise<Runner | undefined> {
    const row = await this.#db
      .updateTable('runner')
      .set({ last_seen_at: sql<Date>`now()` })
      .where((where) =>
        where.or([
          where.and([
            where('token_hash', '=', tokenHash),
            where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]),
          ]),
          where.and([where('previous_token_hash', '=', tokenHash), hasValidPreviousToken]),
        ]),
      )
      .where('revoked_at', 'is', null)
      .returning(['id', 'name', 'project_ids as projectIds'])
      .executeTakeFirst()
    return row
  }

  /**
   * Records an event for runners that were heard from and have been silent since, once per silence. Of a shared runner, in every project.
   * Not for those that were silent for so long that nobody waits for them.
   */
  async reportOffline(): Promise<void> {
    await sql`
      WITH silent AS (
        UPDATE runner SET offline_reported_at = now()
        WHERE revoked_at IS NULL AND last_seen_at < now() - make_interval(mins => ${offlineMinutes})
          AND last_seen_at > now() - interval '1 day' AND coalesce(offline_reported_at < last_seen_at, true)
          AND coalesce(expires_at > now(), true) AND NOT (${isOnline})
        RETURNING id, name, project_ids, last_seen_at
      )
      SELECT silent.id, record_webhook_event(endpoint.project_id, 'runner.offline', NULL, silent.id, jsonb_build_object(
        'projectId', endpoint.project_id, 'runner', jsonb_build_object('id', silent.id, 'name', name,
          'isShared', project_ids IS DISTINCT FROM ARRAY[endpoint.project_id],
          'lastSeenAt', to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))))
      FROM silent LEFT JOIN (SELECT DISTINCT project_id FROM webhook_endpoint) AS endpoint
        ON project_ids IS NULL OR endpoint.project_id = ANY (project_ids)`.execute(this.#db)
  }

  /** Replaces the token. The old one stays valid for the overlap, but not longer than it would have been without the rotation. */
  async rotateToken(id: Id<'run'>, rotation: TokenRotation, actor: Actor): Promise<boolean> {
    const rotated = await this.#db
      .updateTable('runner')
      .set(rotatedColumns(rotation, actor))
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    return rotated !== undefined
  }

  /** A project cannot rotate the token of a shared runner. */
  async rotateTokenForProject(
    projectId: Id<'prj'>,
    id: string,
    rotation: TokenRotation,
    actor: Actor,
  ): Promise<ProjectRunner> {
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      const runner = await lockOwnRunner(tx, projectId, id)
      if (runner.revoked_at) throw noSuchRunner()
      await tx.updateTable('runner').set(rotatedColumns(rotation, actor)).where('id', '=', runner.id).execute()
      const { name } = runner
      const { overlapHours, expiresAt } = rotation
      await recordAudit(tx, projectId, actor, {
        action: 'runner.token_rotated',
        subject: runner.id,
        detail: { name, overlapHours, ...(expiresAt && { expiresAt }) },
      })
      return getForProject(tx, projectId, runner.id)
    })
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
    await this.#db.transaction().execute(async (tx) => {
      const runner = await lockOwnRunner(tx, projectId, id)
      if (runner.revoked_at) return
      await tx.updateTable('runner').set({ revoked_at: sql<Date>`now()` }).where('id', '=', runner.id).execute()
      const entry = { action: 'runner.revoked', subject: runner.id, detail: { name: runner.name } } as const
      await recordAudit(tx, projectId, actor, entry)
    })
  }
}

const toRow = ({ name, tokenHash, projectIds, expiresAt }: NewRunner, actor: Actor) => ({
  id: newId('run'),
  name,
  token_hash: tokenHash,
  project_ids: projectIds ? [...projectIds] : null,
  expires_at: expiresAt,
  created_by: formatActor(actor),
})

/** The actor has the new token, so the runner is revoked when they lose access. */
const rotatedColumns = ({ tokenHash, overlapHours, expiresAt }: TokenRotation, actor: Actor) => ({
  token_hash: tokenHash,
  expires_at: expiresAt,
  previous_token_hash: sql<Buffer>`token_hash`,
  previous_token_expires_at: sql<Date>`least(now() + make_interval(hours => ${overlapHours}), expires_at)`,
  previous_token_responsible: sql<string>`coalesce(taken_over_by, created_by)`,
  taken_over_by: sql<string>`nullif(${formatActor(actor)}, created_by)`,
})

const selectForProject = (db: Database, projectId: Id<'prj'>) =>
  db
    .selectFrom('runner')
    .select(['id', 'name', 'created_at as createdAt', 'taken_over_by as takenOverBy'])
    .select(stateColumns)
    .select([
      sql<boolean>`project_ids IS DISTINCT FROM ARRAY[${projectId}]::text[]`.as('isShared'),
      sql<Date | null>`CASE WHEN ${hasValidPreviousToken} THEN previous_token_expires_at END`.as(
        'previousTokenExpiresAt',
      ),
    ])
    .where(sql<boolean>`(project_ids IS NULL OR ${projectId} = ANY (project_ids))`)

const getForProject = (db: Database, projectId: Id<'prj'>, id: Id<'run'>): Promise<ProjectRunner> =>
  selectForProject(db, projectId).where('id', '=', id).executeTakeFirstOrThrow()

/** Shared runners are not the project's own. */
async function lockOwnRunner(tx: DatabaseTransaction, projectId: Id<'prj'>, id: string) {
  if (!isId('run', id)) throw noSuchRunner()
  const runner = await tx
    .selectFrom('runner')
    .select(['id', 'name', 'project_ids', 'revoked_at'])
    .where('id', '=', id)
    .where(sql<boolean>`(project_ids IS NULL OR ${projectId} = ANY (project_ids))`)
    .forUpdate()
    .executeTakeFirst()
  if (!runner) throw noSuchRunner()
  if (runner.project_ids?.length !== 1) throw new Problem('insufficient_role', sharedRunnerDetail)
  return runner
}

const noSuchRunner = () => new Problem('not_found', 'The project has no runner with this ID.')
const sharedRunnerDetail = 'This runner also serves other projects. Ask an operator of this instance to change it.'
