import { type Selectable, sql } from 'kysely'
import { type Actor, type AuditedRequest, formatActor, recordAudit } from '../../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../../database/database.ts'
import type { Offboarding } from '../../offboarding/offboarding.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Id, isId, newId } from '../../platform/ids.ts'
import { type ApiKeySecret, generateKey, hashKey, keyDisplayPrefix } from '../key-format.ts'
import type { FederatedIdentityTable } from '../tables.ts'
import {
  assertValidIdentity,
  type Claims,
  describeMismatch,
  type FederatedIdentity,
  type FederatedIdentityInput,
  type FederatedScope,
  pinnedClaimNames,
  readClaims,
} from './federated-identity.ts'
import { TokenRejection } from './token-rejection.ts'
import type { VerifiedIdToken } from './verify-id-token.ts'

/** More than any team needs. Each exchange compares all of them. */
const maxIdentitiesPerProject = 100

/** At any time. A repository with a run every few seconds stays below it. */
const maxActiveKeysPerProject = 500

const maxKeyMinutes = 60

/** How long an expired key is still listed. */
const expiredKeyDays = 1

export interface ExchangedKey {
  id: Id<'key'>
  secret: ApiKeySecret
  scopes: readonly FederatedScope[]
  expiresAt: Date
}

export class FederatedIdentityStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** Newest first. */
  async list(projectId: Id<'prj'>): Promise<FederatedIdentity[]> {
    const rows = await this.#db
      .selectFrom('federated_identity')
      .selectAll()
      .where('project_id', '=', projectId)
      .orderBy('id', 'desc')
      .execute()
    return rows.map(toIdentity)
  }

  async create(projectId: Id<'prj'>, input: FederatedIdentityInput, actor: Actor): Promise<FederatedIdentity> {
    assertValidIdentity(input)
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      if (actor.kind === 'key') await assertUnrestricted(tx, actor.keyId)
      const { count } = await tx
        .selectFrom('federated_identity')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('project_id', '=', projectId)
        .executeTakeFirstOrThrow()
      if (count >= maxIdentitiesPerProject)
        throw new Problem(
          'invalid_request',
          `The project has ${maxIdentitiesPerProject} federated identities, which is the maximum. Delete some first.`,
        )
      const { name, provider, issuer, claims, scopes } = input
      const row = await tx
        .insertInto('federated_identity')
        .values({
          project_id: projectId,
          id: newId('fid'),
          name,
          provider,
          issuer,
          claims: JSON.stringify(claims),
          scopes: [...scopes],
          created_by: formatActor(actor),
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const detail = { name, provider, issuer, claims, scopes }
      await recordAudit(tx, projectId, actor, { action: 'federated_identity.created', subject: row.id, detail })
      return toIdentity(row)
    })
  }

  /** Also revokes the keys that were given out for it. */
  async delete(projectId: Id<'prj'>, id: string, actor: Actor): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      await lockProject(tx, projectId)
      const identity = await findIdentity(tx, projectId, id)
      if (!identity) throw new Problem('not_found', 'The project has no federated identity with this ID.')
      const departure = { creator: identity.id, projectId }
      await this.#offboarding.revoke(tx, departure, { keep: [], because: identity.id, actor })
      await tx.deleteFrom('federated_identity').where('id', '=', identity.id).execute()
      const detail = { name: identity.name }
      await recordAudit(tx, projectId, actor, { action: 'federated_identity.deleted', subject: identity.id, detail })
    })
  }

  /** Exchanges a verified token for a key. Of several exchanges of the same token, one succeeds. */
  async createKey(
    { projectId, id }: FederatedIdentity,
    { claims, expiresAt: tokenExpiresAt, hash }: VerifiedIdToken & { hash: Buffer },
    request: AuditedRequest,
  ): Promise<ExchangedKey> {
    const secret = generateKey('colophon_')
    const expiresAt = new Date(Math.min(tokenExpiresAt.getTime(), Date.now() + maxKeyMinutes * 60_000))
    return this.#db.transaction().execute(async (tx) => {
      // With the project locked, the identity cannot be deleted, and its IDs cannot be set by two first exchanges.
      await lockProject(tx, projectId)
      const identity = await findIdentity(tx, projectId, id)
      if (!identity) throw new TokenRejection('no_identity_for_issuer')
      const mismatch = describeMismatch(identity, claims)
      if (mismatch) throw new TokenRejection('claims_differ', { detail: { identity: id, ...mismatch } })
      await consumeToken(tx, projectId, { hash, expiresAt: tokenExpiresAt })
      await assertBelowLimit(tx, projectId)
      const keyId = newId('key')
      const run = readClaims(claims, ['sub', 'sha', 'run_id', 'run_attempt', 'pipeline_id', 'job_id'])
      const name = formatKeyName(identity.name, run)
      await tx
        .insertInto('api_key')
        .values({
          project_id: projectId,
          id: keyId,
          name,
          secret_hash: hashKey(secret),
          prefix: keyDisplayPrefix(secret),
          scopes: [...identity.scopes],
          allowed_networks: [],
          expires_at: expiresAt,
          created_by_key_id: null,
          created_by: id,
        })
        .execute()
      await tx
        .updateTable('federated_identity')
        .set({
          last_used_at: sql<Date>`now()`,
          pinned_claims: JSON.stringify(
            identity.pinnedClaims ?? readClaims(claims, pinnedClaimNames(identity.provider)),
          ),
        })
        .where('id', '=', id)
        .execute()
      await recordAudit(
        tx,
        projectId,
        { kind: 'federated-identity', identityId: id, ...request },
        { action: 'key.created', subject: keyId, detail: { name, scopes: identity.scopes, expiresAt, run } },
      )
      return { id: keyId, secret, scopes: identity.scopes, expiresAt }
    })
  }

  /** Deletes what is no longer needed: the hashes of expired tokens, and keys that expired a day ago. */
  async deleteExpired(): Promise<void> {
    await this.#db.deleteFrom('exchanged_id_token').where('expires_at', '<', sql<Date>`now()`).execute()
    await this.#db
      .deleteFrom('api_key')
      .where('created_by', 'like', 'fid\\_%')
      .where('expires_at', '<', sql<Date>`now() - make_interval(days => ${expiredKeyDays})`)
      .execute()
  }
}

async function lockProject(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  await tx.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
}

async function findIdentity(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  id: string,
): Promise<FederatedIdentity | undefined> {
  if (!isId('fid', id)) return undefined
  const row = await tx
    .selectFrom('federated_identity')
    .innerJoin('project', 'project.id', 'federated_identity.project_id')
    .selectAll('federated_identity')
    .where('project_id', '=', projectId)
    .where('federated_identity.id', '=', id)
    .where('project.deleted_at', 'is', null)
    .executeTakeFirst()
  return row && toIdentity(row)
}

/** The identity gives out keys without these limits, also after the key of the actor has expired. */
async function assertUnrestricted(tx: DatabaseTransaction, keyId: Id<'key'>): Promise<void> {
  const key = await tx
    .selectFrom('api_key')
    .select(['allowed_networks', 'expires_at'])
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (!key || key.expires_at || key.allowed_networks.length > 0)
    throw new Problem(
      'insufficient_scope',
      'A key that expires or is limited to networks cannot create a federated identity, whose keys would not be. Sign in to the dashboard.',
    )
}

async function consumeToken(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  { hash, expiresAt }: { hash: Buffer; expiresAt: Date },
): Promise<void> {
  // A little longer than the token is accepted: the clocks of this machine and of PostgreSQL may differ.
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('exchanged_id_token')
    .values({ token_hash: hash, project_id: projectId, expires_at: new Date(expiresAt.getTime() + 600_000) })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .executeTakeFirst()
  if (numInsertedOrUpdatedRows !== 1n) throw new TokenRejection('already_exchanged')
}

/** Exact, because the project is locked. */
async function assertBelowLimit(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  const { count } = await tx
    .selectFrom('api_key')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('created_by', 'like', 'fid\\_%')
    .where('expires_at', '>', sql<Date>`now()`)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (count >= maxActiveKeysPerProject)
    throw new Problem(
      'rate_limited',
      `The project has ${maxActiveKeysPerProject} short-lived keys that have not expired, which is the maximum. Retry in 60 s.`,
      { headers: { 'retry-after': '60' } },
    )
}

const maxKeyNameCharacters = 100

function formatKeyName(name: string, run: Claims): string {
  const number = run.run_id ?? run.pipeline_id ?? ''
  const suffix = /^\d{1,20}$/.test(number) ? `, run ${number}` : ''
  return name.slice(0, maxKeyNameCharacters - suffix.length) + suffix
}

const toIdentity = (row: Selectable<FederatedIdentityTable>): FederatedIdentity => ({
  projectId: row.project_id,
  id: row.id,
  name: row.name,
  provider: row.provider,
  issuer: row.issuer,
  claims: row.claims,
  pinnedClaims: row.pinned_claims,
  scopes: row.scopes as FederatedScope[],
  createdBy: row.created_by,
  takenOverBy: row.taken_over_by,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
})
