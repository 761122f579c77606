import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import type { RevokeInvitations } from '../people/revoke-invitations.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId, newId } from '../platform/ids.ts'
import { type ApiKey, displayPrefixOf, generateKey, hashOfKey } from './key-format.ts'
import { type KeyGrant, refuseMoreThan } from './key-rules.ts'
import type { Scope } from './scopes.ts'
import type { ApiKeyTable, KeyTables } from './tables.ts'

export interface Key extends KeyGrant {
  projectId: Id<'prj'>
  id: Id<'key'>
  name: string
  prefix: string
  createdByKeyId: Id<'key'> | null
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

export interface NewKey extends KeyGrant {
  name: string
}

export class KeyStore {
  readonly #db: Kysely<KeyTables>
  readonly #recordAudit: RecordAudit
  readonly #revokeInvitations: RevokeInvitations

  constructor(db: Kysely<KeyTables>, recordAudit: RecordAudit, revokeInvitations: RevokeInvitations) {
    this.#db = db
    this.#recordAudit = recordAudit
    this.#revokeInvitations = revokeInvitations
  }

  /** The secret is returned here and nowhere else, ever. A key that makes another cannot give it more than it has. */
  async create(projectId: Id<'prj'>, wanted: NewKey, actor: Actor): Promise<{ key: Key; secret: ApiKey }> {
    const secret = generateKey('colophon_')
    return this.#db.transaction().execute(async (tx) => {
      if (actor.kind === 'key') await refuseRevokedMaker(tx, projectId, actor.keyId, wanted)
      const row = await tx
        .insertInto('api_key')
        .values({
          project_id: projectId,
          id: newId('key'),
          name: wanted.name,
          secret_hash: hashOfKey(secret),
          prefix: displayPrefixOf(secret),
          scopes: [...wanted.scopes],
          // 10.1.2.3/8 means 10.0.0.0/8, and PostgreSQL's `cidr` takes only the latter.
          allowed_networks: sql`ARRAY(SELECT network(given::inet) FROM unnest(${[...wanted.allowedNetworks]}::text[]) AS given)`,
          expires_at: wanted.expiresAt,
          created_by_key_id: actor.kind === 'key' ? actor.keyId : null,
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      const key = asKey(row)
      const { name, scopes, allowedNetworks, expiresAt } = key
      await this.#recordAudit(tx, projectId, actor, {
        action: 'key.created',
        subject: key.id,
        detail: { name, scopes, allowedNetworks, expiresAt },
      })
      return { key, secret }
    })
  }

  /** Newest first; `before` is the last id of the page before. */
  async list(projectId: Id<'prj'>, { limit, before }: { limit: number; before: string | undefined }): Promise<Key[]> {
    let query = this.#db.selectFrom('api_key').selectAll().where('project_id', '=', projectId)
    if (before !== undefined) query = query.where('id', '<', before as Id<'key'>)
    const rows = await query.orderBy('id', 'desc').limit(limit).execute()
    return rows.map(asKey)
  }

  /** Revokes the key and every key it made, directly or through others, and their invitations. Again, it changes nothing. */
  async revoke(projectId: Id<'prj'>, keyId: string, actor: Actor): Promise<Key> {
    if (!isId('key', keyId)) throw noSuchKey()
    return this.#db.transaction().execute(async (tx) => {
      await lockFamilies(tx, projectId)
      await refuseWiderThan(tx, projectId, keyId, actor)
      const revoked = await tx
        .withRecursive('family', (db) =>
          db
            .selectFrom('api_key')
            .select('id')
            .where('project_id', '=', projectId)
            .where('id', '=', keyId)
            .union((union) =>
              union
                .selectFrom('api_key')
                .innerJoin('family', 'family.id', 'api_key.created_by_key_id')
                .select('api_key.id')
                .where('api_key.project_id', '=', projectId),
            ),
        )
        .updateTable('api_key')
        .set({ revoked_at: sql`now()` })
        .where('project_id', '=', projectId)
        .where('revoked_at', 'is', null)
        .where('id', 'in', (db) => db.selectFrom('family').select('family.id'))
        .returning('id')
        .execute()
      for (const { id } of revoked) {
        await this.#recordAudit(tx, projectId, actor, {
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
      return asKey(row)
    })
  }

  /** Asked at every request, of every replica: that is what makes a revocation hold at the next one. */
  async findBySecret(secret: ApiKey): Promise<Key | undefined> {
    const row = await this.#db
      .selectFrom('api_key')
      .selectAll()
      .where('secret_hash', '=', hashOfKey(secret))
      .executeTakeFirst()
    return row && asKey(row)
  }

  /** Asked once more when a body was long in coming: a key may have been revoked meanwhile. */
  async isLive({ projectId, id }: Key): Promise<boolean> {
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

  /** To the minute: a write per request would cost more than anybody learns from it. */
  async noteUse({ projectId, id, lastUsedAt }: Key): Promise<void> {
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
 * Keys make keys, and are revoked with what they made, one at a time in a project: none slips out while its maker is being
 * revoked. The maker's own row is not enough of a lock: a revocation that waits for it has already looked for children.
 */
async function lockFamilies(tx: Transaction<KeyTables>, projectId: Id<'prj'>): Promise<void> {
  await sql`SELECT FROM project WHERE id = ${projectId} FOR NO KEY UPDATE`.execute(tx)
}

async function refuseRevokedMaker(
  tx: Transaction<KeyTables>,
  projectId: Id<'prj'>,
  makerId: Id<'key'>,
  wanted: NewKey,
): Promise<void> {
  await lockFamilies(tx, projectId)
  const maker = await tx
    .selectFrom('api_key')
    .selectAll()
    .where('project_id', '=', projectId)
    .where('id', '=', makerId)
    .executeTakeFirst()
  if (!maker || maker.revoked_at) throw new Problem('unauthenticated', 'The API key was revoked.')
  refuseMoreThan(asKey(maker), wanted)
}

/** A narrow key must not be able to take a wide one away; itself it may always end. */
async function refuseWiderThan(
  tx: Transaction<KeyTables>,
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
  const own = rows.find(({ id }) => id === actor.keyId)?.scopes ?? []
  const missing = rows.find(({ id }) => id === keyId)?.scopes.filter((scope) => !own.includes(scope)) ?? []
  if (missing.length > 0)
    throw new Problem(
      'insufficient_scope',
      `Your key cannot revoke one with ${missing.join(', ')}, which it has not itself.`,
    )
}

const noSuchKey = () => new Problem('not_found', 'The project has no such API key.')

function asKey(row: Selectable<ApiKeyTable>): Key {
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
