/**
 * Takes away what a person or an API key has created in projects, when they lose access: API keys, federated identities, runners and open
 * invitations, directly or through keys. Otherwise they could use it to come back. Endpoints of webhooks, which may be theirs, are disabled.
 */
import { type RawBuilder, sql } from 'kysely'
import { type Actor, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Scope } from '../keys/scopes.ts'
import type { MemberRole } from '../people/member-role.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'

export type CreatedAccess = {
  projectId: Id<'prj'>
  /** Who created it or has taken it over, as in the audit log. */
  responsible: string
  createdAt: Date
  lastUsedAt: Date | null
} & (
  | { kind: 'key'; id: Id<'key'>; name: string; scopes: readonly Scope[] }
  | { kind: 'federated_identity'; id: Id<'fid'>; name: string; scopes: readonly Scope[] }
  | { kind: 'runner'; id: Id<'run'>; name: string }
  | { kind: 'invitation'; id: Id<'inv'>; email: string; role: MemberRole }
)

export interface Departure {
  /** Whose access ends: an email address or the ID of a key, as in the audit log. */
  creator: string
  /** All projects if omitted. */
  projectId?: Id<'prj'>
  /** The role that the person keeps. Their keys with scopes of this role stay valid. */
  remainingRole?: MemberRole
}

export interface DepartureDecision {
  /** IDs of what is not revoked, but taken over by the actor. */
  keep: readonly string[]
  /** The reason in the audit log: the ID of the member, person or key. */
  because: string
  actor: Actor
}

export class Offboarding {
  readonly #scopesByRole: Readonly<Record<MemberRole, readonly Scope[]>>

  constructor(scopesByRole: Readonly<Record<MemberRole, readonly Scope[]>>) {
    this.#scopesByRole = scopesByRole
  }

  /** What is revoked by default when access ends, oldest first. */
  async list(db: Database, { creator, projectId, remainingRole }: Departure): Promise<CreatedAccess[]> {
    const created = await listCreated(db, creator, projectId)
    return remainingRole === undefined ? created : this.#exceeding(created, remainingRole)
  }

  /** Call it with the projects locked, so that nothing is created at the same time. */
  async revoke(
    tx: DatabaseTransaction,
    departure: Departure,
    { keep, because, actor }: DepartureDecision,
  ): Promise<void> {
    const created = await this.list(tx, departure)
    assertMayKeep(created, keep, departure.creator, actor)
    await assertMayRevoke(tx, created, actor)
    for (const access of created) {
      if (keep.includes(access.id)) await takeOver(tx, access, actor)
      else await revokeOne(tx, access, because, actor)
    }
    if (departure.remainingRole === undefined) await endPreviousTokens(tx, departure, created)
    await disableEndpoints(tx, departure, created, keep)
  }

  /**
   * Locks the project, and checks the actor again: since the first check, the key may have been revoked, or the person removed,
   * demoted or disabled.
   */
  async assertMayStillGrant(tx: DatabaseTransaction, projectId: Id<'prj'>, actor: Actor): Promise<void> {
    const project = await tx
      .selectFrom('project')
      .select('id')
      .where('id', '=', projectId)
      .where('deleted_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst()
    if (!project) throw new Problem('not_found', 'There is no such project.')
    if (actor.kind === 'operator') return
    if (actor.kind === 'key') {
      const live = await tx
        .selectFrom('api_key')
        .select('id')
        .where('project_id', '=', projectId)
        .where('id', '=', actor.keyId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst()
      if (!live) throw new Problem('unauthenticated', 'The API key was revoked.')
      return
    }
    const owner = await tx
      .selectFrom('project_member')
      .innerJoin('person', 'person.id', 'project_member.person_id')
      .select('project_member.id')
      .where('project_id', '=', projectId)
      .where('person.email', '=', actor.email)
      .where('person.disabled_at', 'is', null)
      .where('role', '=', 'owner')
      .executeTakeFirst()
    if (!owner)
      throw new Problem('insufficient_role', 'You are no longer an owner of the project. Ask an owner to do this.')
  }

  /** A key that a revoked key created is revoked with it, whatever its scopes. Only owners can have what is not a key. */
  #exceeding(created: readonly CreatedAccess[], role: MemberRole): CreatedAccess[] {
    const byId = new Map(created.map((access) => [access.id as string, access]))
    const exceeds = (access: CreatedAccess): boolean => {
      if (access.kind !== 'key') return true
      if (access.scopes.some((scope) => !this.#scopesByRole[role].includes(scope))) return true
      const creator = byId.get(access.responsible)
      return creator !== undefined && exceeds(creator)
    }
    return created.filter(exceeds)
  }
}

const responsibleForKey = sql`coalesce(api_key.taken_over_by, api_key.created_by, api_key.created_by_key_id)`
const responsibleForIdentity = sql`coalesce(federated_identity.taken_over_by, federated_identity.created_by)`
const responsibleForRunner = sql`coalesce(runner.taken_over_by, runner.created_by)`

/** Runners of several projects are created by `colophon-server admin` only. */
async function listCreated(db: Database, creator: string, projectId: Id<'prj'> | undefined): Promise<CreatedAccess[]> {
  const inProject = (column: RawBuilder<unknown>) =>
    projectId === undefined ? sql`true` : sql`${column} = ${projectId}`
  const { rows } = await sql<CreatedAccess>`
    WITH RECURSIVE key_creator AS NOT MATERIALIZED (
      SELECT id, ${responsibleForKey} AS responsible, project_id FROM api_key
      UNION ALL
      SELECT id, ${responsibleForIdentity}, project_id FROM federated_identity
    ), created_creator AS (
      SELECT id FROM key_creator WHERE responsible = ${creator} AND ${inProject(sql`key_creator.project_id`)}
      UNION
      SELECT key_creator.id FROM key_creator JOIN created_creator ON key_creator.responsible = created_creator.id
    ), creator AS (
      SELECT ${creator}::text AS id UNION ALL SELECT id FROM created_creator
    )
    SELECT 'key' AS kind, id, project_id AS "projectId", name, scopes, NULL AS email, NULL AS role,
      ${responsibleForKey} AS responsible, created_at AS "createdAt", last_used_at AS "lastUsedAt"
    FROM api_key
    WHERE id IN (SELECT id FROM created_creator) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
    UNION ALL
    SELECT 'federated_identity', id, project_id, name, scopes, NULL, NULL, ${responsibleForIdentity}, created_at, last_used_at
    FROM federated_identity
    WHERE id IN (SELECT id FROM created_creator)
    UNION ALL
    SELECT 'runner', id, project_ids[1], name, NULL, NULL, NULL, ${responsibleForRunner}, created_at, last_seen_at
    FROM runner
    WHERE ${responsibleForRunner} IN (SELECT id FROM creator) AND revoked_at IS NULL AND cardinality(project_ids) = 1
      AND ${inProject(sql`runner.project_ids[1]`)}
    UNION ALL
    SELECT 'invitation', id, project_id, NULL, NULL, email, role, invited_by, created_at, NULL
    FROM invitation
    WHERE invited_by IN (SELECT id FROM creator) AND expires_at > now() AND ${inProject(sql`invitation.project_id`)}
    ORDER BY "createdAt", id`.execute(db)
  return rows
}

function assertMayKeep(
  created: readonly CreatedAccess[],
  keep: readonly string[],
  creator: string,
  actor: Actor,
): void {
  if (keep.length === 0) return
  if (actor.kind === 'key')
    throw new Problem(
      'insufficient_scope',
      'An API key cannot take over what a member created. Sign in to the dashboard to keep it.',
    )
  if (formatActor(actor) === creator)
    throw new Problem('invalid_request', 'You cannot keep what you created yourself. Ask another owner to remove you.')
  const unknown = keep.find((id) => !created.some((access) => access.id === id))
  if (unknown !== undefined)
    throw new Problem('invalid_request', `${unknown} is not among what would be revoked. Read the list again.`)
}

/** A key cannot revoke a key with scopes that it lacks. It can always revoke itself. */
async function assertMayRevoke(
  tx: DatabaseTransaction,
  created: readonly CreatedAccess[],
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'key') return
  const own = await tx.selectFrom('api_key').select('scopes').where('id', '=', actor.keyId).executeTakeFirst()
  for (const access of created) {
    if (access.kind !== 'key' || access.id === actor.keyId) continue
    const missing = access.scopes.filter((scope) => !own?.scopes.includes(scope))
    if (missing.length > 0)
      throw new Problem(
        'insufficient_scope',
        `Your key cannot revoke the key ${access.name}: it lacks ${missing.join(', ')}.`,
      )
  }
}

/** Of runners whose token someone else has rotated since, so that they are not among what is revoked. */
async function endPreviousTokens(
  tx: DatabaseTransaction,
  { creator, projectId }: Departure,
  created: readonly CreatedAccess[],
): Promise<void> {
  const leaving = [creator, ...created.filter(({ kind }) => kind === 'key').map(({ id }) => id)]
  let runners = tx
    .updateTable('runner')
    .set({ previous_token_hash: null, previous_token_expires_at: null, previous_token_responsible: null })
    .where('previous_token_responsible', 'in', leaving)
  if (projectId !== undefined) runners = runners.where(sql<boolean>`project_ids = ARRAY[${projectId}]::text[]`)
  await runners.execute()
}

/** The owners get a notice, and can enable them again. */
async function disableEndpoints(
  tx: DatabaseTransaction,
  { creator, projectId }: Departure,
  created: readonly CreatedAccess[],
  keep: readonly string[],
): Promise<void> {
  const revokedKeys = created.filter(({ kind, id }) => kind === 'key' && !keep.includes(id)).map(({ id }) => id)
  let endpoints = tx
    .updateTable('webhook_endpoint')
    .set({ disabled_at: sql<Date>`now()`, disabled_reason: 'creator_left', notice_due_at: sql<Date>`now()` })
    .where('responsible', 'in', [creator, ...revokedKeys])
    .where('disabled_at', 'is', null)
  if (projectId !== undefined) endpoints = endpoints.where('project_id', '=', projectId)
  await endpoints.execute()
}

async function revokeOne(tx: DatabaseTransaction, access: CreatedAccess, because: string, actor: Actor): Promise<void> {
  const { projectId, id: subject } = access
  switch (access.kind) {
    case 'key':
      await tx.updateTable('api_key').set({ revoked_at: sql<Date>`now()` }).where('id', '=', access.id).execute()
      return recordAudit(tx, projectId, actor, { action: 'key.revoked', subject, detail: { because } })
    case 'federated_identity': {
      await tx.deleteFrom('federated_identity').where('id', '=', access.id).execute()
      const detail = { name: access.name, because }
      return recordAudit(tx, projectId, actor, { action: 'federated_identity.deleted', subject, detail })
    }
    case 'runner': {
      await tx.updateTable('runner').set({ revoked_at: sql<Date>`now()` }).where('id', '=', access.id).execute()
      const detail = { name: access.name, because }
      return recordAudit(tx, projectId, actor, { action: 'runner.revoked', subject, detail })
    }
    case 'invitation': {
      await tx.deleteFrom('invitation').where('id', '=', access.id).execute()
      const detail = { email: access.email, because }
      return recordAudit(tx, projectId, actor, { action: 'invitation.revoked', subject, detail })
    }
  }
}

async function takeOver(tx: DatabaseTransaction, access: CreatedAccess, actor: Actor): Promise<void> {
  const taken_over_by = formatActor(actor)
  const { projectId, id: subject } = access
  const detail = { from: access.responsible }
  switch (access.kind) {
    case 'key':
      await tx.updateTable('api_key').set({ taken_over_by }).where('id', '=', access.id).execute()
      return recordAudit(tx, projectId, actor, { action: 'key.taken_over', subject, detail })
    case 'federated_identity':
      await tx.updateTable('federated_identity').set({ taken_over_by }).where('id', '=', access.id).execute()
      return recordAudit(tx, projectId, actor, { action: 'federated_identity.taken_over', subject, detail })
    case 'runner':
      await tx.updateTable('runner').set({ taken_over_by }).where('id', '=', access.id).execute()
      return recordAudit(tx, projectId, actor, { action: 'runner.taken_over', subject, detail })
    case 'invitation':
      await tx.updateTable('invitation').set({ invited_by: taken_over_by }).where('id', '=', access.id).execute()
      return recordAudit(tx, projectId, actor, { action: 'invitation.taken_over', subject, detail })
  }
}
