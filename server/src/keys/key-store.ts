import { type Selectable, sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { RevokeInvitations } from '../people/revoke-invitations.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { type ApiKeySecret, generateKey, hashKey, keyDisplayPrefix } from './key-format.ts'
import { assertGrantWithin, type KeyGrant } from './key-rules.ts'
import type { Scope } from './scopes.ts'
import type { ApiKeyTable } from './tables.ts'

export interface ApiKeyRecord extends KeyGrant {
  projectId: Id<'prj'>
  id: Id<'key'>
  name: string
  prefix: string
  createdByKeyId: Id<'key'> | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

export interface ApiKeyInput extends KeyGrant {
  name: string
}

export class KeyStore {
  readonly #db: Database
  readonly #revokeInvitations: RevokeInvitations

  constructor(db: Database, revokeInvitations: RevokeInvitations) {
    this.#db = db
    this.#revokeInvitations = revokeInvitations
  }

  /** The secret is returned only here. A key that creates another key cannot grant more than it has. */
  async create(
    projectId: Id<'prj'>,
    input: ApiKeyInput,
    actor: Actor,
  ): Promise<{ key: ApiKeyRecord; secret: ApiKeySecret }> {
    const secret = generateKey('colophon_')
    return this.#db.transaction().execute(async (tx) => {
      if (actor.kind === 'key') await assertMayCreate(tx, projectId, actor.keyId, input)
      const row = await tx
        .insertInto('api_key')
        .values({
          project_id: projectId,
          id: newId('key'),
          name: input.name,
          secret_hash: hashKey(secret),
          prefix: keyDisplayPrefix(secret),
          scopes: [...input.scopes],
          // 10.1.2.3/8 means 10.0.0.0/8, and `cidr` in PostgreSQL accepts only the latter.
          allowed_networks: sql`ARRAY(SELECT network(entry::inet) FROM unnest(${[...input.allowedNetworks]}::text[]) AS entry)`,
          expires_at: input.expiresAt,
          created_by_key_id: actor.kind === 'key' ? actor.keyId : null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const key = toKey(row)
      const { name, scopes, allowedNetworks, expiresAt } = key
      await recordAudit(tx, projectId, actor, {
        action: 'key.created',
        subject: key.id,
        detail: { name, scopes, allowedNetworks, expiresAt },
      })
      return { key, secret }
    })
  }

  /** Newest first; `before` is the last id of the previous page. */
  async list(
    projectId: Id<'prj'>,
    { limit, before }: { limit: number; before: string | undefined },
  ): Promise<ApiKeyRecord[]> {
    let query = this.#db.selectFrom('api_key').selectAll().where('project_id', '=', projectId)
    if (before !== undefined) query = query.where('id', '<', before as Id<'key'>)
    const rows = await query.orderBy('id', 'desc').limit(limit).execute()
    return rows.map(toKey)
  }

  /** Revokes the key, every key that it created directly or indirectly, and their invitations. Idempotent. */
  async revoke(projectId: Id<'prj'>, keyId: string, actor: Actor): Promise<ApiKeyRecord> {
    if (!isId('key', keyId)) throw noSuchKey()
    return this.#db.transaction().execute(async (tx) => {
      await lockKeys(tx, projectId)
      await assertMayRevoke(tx, projectId, keyId, actor)
      const revoked = await tx
        .withRecursive('descendant', (db) =>
          db
            .selectFrom('api_key')
            .select('id')
            .where('project_id', '=', projectId)
            .where('id', '=', keyId)
            .union((union) =>
              union
                .selectFrom('api_key')
                .innerJoin('descendant', 'descendant.id', 'api_key.created_by_key_id')
                .select('api_key.id')
                .where('api_key.project_id', '=', projectId),
            ),
        )
        .updateTable('api_key')
        .set({ revoked_at: sql`now()` })
        .where('project_id', '=', projectId)
        .where('revoked_at', 'is', null)
        .where('id', 'in', (db) => db.selectFrom('descendant').select('descendant.id'))
        .returning('id')
        .execute()
      for (const { id } of revoked) {
        await recordAudit(tx, projectId, actor, {
          action: 'key.revoked',
          subject: id,
          detail: id === keyId ? {} : { because: keyId },
        })
        await this.#revokeInvitations(tx, projectId, { invitedBy: id }, { because: id, actor })
      }
      const row = await tx
        .selectFrom('api_key')
        .selectAll()
        .where('project_id', '=', projectId)
        .where('id', '=', keyId)
        .executeTakeFirst()
      if (!row) throw noSuchKey()
      return toKey(row)
    })
  }

  /** Every replica queries it for every request, so that a revocation takes effect at the next request. */
  async findBySecret(secret: ApiKeySecret): Promise<ApiKeyRecord | undefined> {
    const row = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .where('secret_hash', '=', hashKey(secret))
      .executeTakeFirst()
    return row && toKey(row)
  }

  /** Checked again when a body took long to arrive: the key may have been revoked in the meantime. */
  async isActive({ projectId, id }: ApiKeyRecord): Promise<boolean> {
    const row = await this.#db
      .selectFrom('api_key')
      .select('id')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
      .executeTakeFirst()
    return row !== undefined
  }

  /** At most once a minute: a write per request would cost more than the precision is worth. */
  async recordUse({ projectId, id, lastUsedAt }: ApiKeyRecord): Promise<void> {
    if (lastUsedAt && Date.now() - lastUsedAt.getTime() < 60_000) return
    await this.#db
      .updateTable('api_key')
      .set({ last_used_at: sql`now()` })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where((where) =>
        where.or([
          where('last_used_at', 'is', null),
          where('last_used_at', '<', sql<Date>`now() - interval '1 minute'`),
        ]),
      )
      .execute()
  }
}

/**
 * Serializes the creation of keys by keys and the revocation of keys with their descendants, per project: so no key is
 * created while its creator is being revoked. Locking the row of the creator is not enough: a revocation that waits for
 * it has already searched for descendants.
 */
async function lockKeys(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  await sql`SELECT FROM project WHERE id = ${projectId} FOR NO KEY UPDATE`.execute(tx)
}

async function assertMayCreate(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  creatorId: Id<'key'>,
  input: ApiKeyInput,
): Promise<void> {
  await lockKeys(tx, projectId)
  const creator = await tx
    .selectFrom('api_key')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', creatorId)
    .executeTakeFirst()
  if (!creator || creator.revoked_at) throw new Problem('unauthenticated', 'The API key was revoked.')
  assertGrantWithin(toKey(creator), input)
}

/** A key cannot revoke a key with scopes that it lacks. It can always revoke itself. */
async function assertMayRevoke(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  keyId: Id<'key'>,
  actor: Actor,
): Promise<void> {
  if (actor.kind !== 'key' || actor.keyId === keyId) return
  const rows = await tx
    .selectFrom('api_key')
    .select(['id', 'scopes'])
    .where('project_id', '=', projectId)
    .where('id', 'in', [keyId, actor.keyId])
    .execute()
  const ownScopes = rows.find(({ id }) => id === actor.keyId)?.scopes ?? []
  const missing = rows.find(({ id }) => id === keyId)?.scopes.filter((scope) => !ownScopes.includes(scope)) ?? []
  if (missing.length > 0)
    throw new Problem('insufficient_scope', `Your key cannot revoke this key: it lacks ${missing.join(', ')}.`)
}

const noSuchKey = () => new Problem('not_found', 'The project has no API key with this ID.')

function toKey(row: Selectable<ApiKeyTable>): ApiKeyRecord {
  return {
    projectId: row.project_id,
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes as Scope[],
    allowedNetworks: row.allowed_networks,
    createdByKeyId: row.created_by_key_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}
