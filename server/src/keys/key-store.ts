import { type Selectable, sql } from 'kysely'
import { type Actor, formatActor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Offboarding } from '../offboarding/offboarding.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { type ApiKeySecret, generateKey, hashKey, keyDisplayPrefix } from './key-format.ts'
import { assertGrantWithin, assertScopesAreComplete, type KeyGrant } from './key-rules.ts'
import type { Scope } from './scopes.ts'
import type { ApiKeyTable } from './tables.ts'

export interface ApiKeyRecord extends KeyGrant {
  projectId: Id<'prj'>
  id: Id<'key'>
  name: string
  prefix: string
  createdByKeyId: Id<'key'> | null
  /** Who created the key, as in the audit log. Null: not recorded. */
  createdBy: string | null
  /** Who kept the key when its creator lost access, as in the audit log. */
  takenOverBy: string | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

export interface ApiKeyInput extends KeyGrant {
  name: string
}

/** More than any team needs. A leaked key must not be able to fill the table. */
const maxActiveKeys = 500

export class KeyStore {
  readonly #db: Database
  readonly #offboarding: Offboarding

  constructor(db: Database, offboarding: Offboarding) {
    this.#db = db
    this.#offboarding = offboarding
  }

  /** The secret is returned only here. A key that creates another key cannot grant more than it has. */
  async create(
    projectId: Id<'prj'>,
    input: ApiKeyInput,
    actor: Actor,
  ): Promise<{ key: ApiKeyRecord; secret: ApiKeySecret }> {
    assertScopesAreComplete(input.scopes)
    const secret = generateKey('colophon_')
    return this.#db.transaction().execute(async (tx) => {
      await this.#offboarding.assertMayStillGrant(tx, projectId, actor)
      if (actor.kind === 'key') assertGrantWithin(await getKey(tx, projectId, actor.keyId), input)
      await assertBelowLimit(tx, projectId)
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
          created_by: formatActor(actor),
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

  async get(projectId: Id<'prj'>, keyId: string): Promise<ApiKeyRecord> {
    if (!isId('key', keyId)) throw noSuchKey()
    return getKey(this.#db, projectId, keyId)
  }

  /** Revokes the key, and every key, runner and invitation that it created directly or through other keys. Idempotent. */
  async revoke(projectId: Id<'prj'>, keyId: string, actor: Actor): Promise<ApiKeyRecord> {
    if (!isId('key', keyId)) throw noSuchKey()
    return this.#db.transaction().execute(async (tx) => {
      await lockProject(tx, projectId)
      const key = await getKey(tx, projectId, keyId)
      await assertMayRevoke(tx, key, actor)
      await this.#offboarding.revoke(tx, { creator: keyId, projectId }, { keep: [], because: keyId, actor })
      if (key.revokedAt) return key
      await tx.updateTable('api_key').set({ revoked_at: sql`now()` }).where('id', '=', keyId).execute()
      await recordAudit(tx, projectId, actor, { action: 'key.revoked', subject: keyId, detail: {} })
      return getKey(tx, projectId, keyId)
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
 * Uses the project's row as the lock, so that no key is created while its creator is being revoked. Locking the row of the creator
 * is not enough: a revocation that waits for it has already searched for descendants.
 */
async function lockProject(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  await tx.selectFrom('project').select('id').where('id', '=', projectId).forNoKeyUpdate().execute()
}

async function getKey(db: Database, projectId: Id<'prj'>, keyId: Id<'key'>): Promise<ApiKeyRecord> {
  const row = await db
    .selectFrom('api_key')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (!row) throw noSuchKey()
  return toKey(row)
}

/** A key cannot revoke a key with scopes that it lacks. It can always revoke itself. */
async function assertMayRevoke(tx: DatabaseTransaction, key: ApiKeyRecord, actor: Actor): Promise<void> {
  if (actor.kind !== 'key' || actor.keyId === key.id) return
  const own = await getKey(tx, key.projectId, actor.keyId)
  const missing = key.scopes.filter((scope) => !own.scopes.includes(scope))
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
    createdBy: row.created_by ?? row.created_by_key_id,
    takenOverBy: row.taken_over_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  }
}

/** Exact, because the project is locked. Not of those that federated identities got, which have a limit of their own. */
async function assertBelowLimit(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<void> {
  const { count } = await tx
    .selectFrom('api_key')
    .select(sql<string>`count(*)`.as('count'))
    .where('project_id', '=', projectId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]))
    .where((where) => where.or([where('created_by', 'is', null), where('created_by', 'not like', 'fid\\_%')]))
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxActiveKeys)
    throw new Problem(
      'invalid_request',
      `The project has ${maxActiveKeys} API keys, which is the maximum. Revoke some first.`,
    )
}
