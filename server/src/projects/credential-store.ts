/** Sealed secrets of projects. Storing a secret needs only the sealer; reading one needs the opener. */
import type { Selectable } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { mayOlderVersionRun } from '../database/older-version.ts'
import { type Id, newId } from '../platform/ids.ts'
import {
  type Opener,
  type Sealer,
  type SecretBinding,
  toSealedSecret,
} from '../platform/sealed-secrets/sealed-secret.ts'
import type { CredentialKind, ProjectTables } from './tables.ts'

export class CredentialStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** The secret can be opened only to send it to this base URL, unless version 0.1.0, which seals for any URL, has to open it as well. */
  async put(
    projectId: Id<'prj'>,
    { kind, secret, baseUrl }: { kind: CredentialKind; secret: string; baseUrl: string },
    sealer: Sealer,
    actor: Actor,
  ): Promise<Id<'crd'>> {
    const id = newId('crd')
    const boundUrl = (await mayOlderVersionRun(this.#db)) ? null : baseUrl
    const sealed = await sealer.seal(secret, bindingOf({ project_id: projectId, id, kind, base_url: boundUrl }))
    await this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('credential')
        .values({ project_id: projectId, id, kind, sealed: Buffer.from(sealed), base_url: boundUrl })
        .execute()
      await recordAudit(tx, projectId, actor, { action: 'credential.stored', subject: id, detail: { kind } })
    })
    return id
  }

  /**
   * Throws SealedSecretError if the secret was sealed for another base URL: an attacker who can write the tables cannot have it sent to an
   * address of their choice.
   */
  async open(
    projectId: Id<'prj'>,
    { id, baseUrl }: { id: Id<'crd'>; baseUrl: string },
    { opener, sealer }: { opener: Opener; sealer: Sealer },
  ): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('credential')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row) return undefined
    const sealed = toSealedSecret(row.sealed)
    if (row.base_url !== null) return opener.open(sealed, bindingTo(baseUrl, row))
    const secret = await opener.open(sealed, bindingOfEarlierVersions(row))
    if (!(await mayOlderVersionRun(this.#db))) await this.#replace(row, { secret, baseUrl, sealer })
    return secret
  }

  /**
   * After a new sealing key was put first, seals the secrets of older keys with it, one row at a time. If the process is
   * killed, the next run continues. A row that is written at the same time keeps the new value.
   */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db
      .selectFrom('credential')
      .leftJoin('repository', (join) =>
        join
          .onRef('repository.project_id', '=', 'credential.project_id')
          .onRef('repository.token_credential_id', '=', 'credential.id'),
      )
      .selectAll('credential')
      .select('repository.base_url as repository_url')
      .execute()
    const mustStayUnbound = await mayOlderVersionRun(this.#db)
    let resealed = 0
    for (const { repository_url, ...row } of rows) {
      const sealed = toSealedSecret(row.sealed)
      const baseUrl = row.base_url ?? (mustStayUnbound ? null : repository_url)
      if (!sealer.needsResealing(sealed) && row.base_url === baseUrl) continue
      const secret = await opener.open(sealed, bindingOf(row))
      resealed += await this.#replace(row, { secret, baseUrl, sealer })
    }
    return { resealed, current: rows.length - resealed }
  }

  /** Seals the secret again, unless the row has changed since. Returns the number of changed rows. */
  async #replace(
    row: CredentialRow,
    { secret, baseUrl, sealer }: { secret: string; baseUrl: string | null; sealer: Sealer },
  ): Promise<number> {
    const { numUpdatedRows } = await this.#db
      .updateTable('credential')
      .set({
        sealed: Buffer.from(await sealer.seal(secret, bindingOf({ ...row, base_url: baseUrl }))),
        base_url: baseUrl,
      })
      .where('project_id', '=', row.project_id)
      .where('id', '=', row.id)
      .where('sealed', '=', Buffer.from(row.sealed))
      .executeTakeFirst()
    return Number(numUpdatedRows)
  }
}

type CredentialRow = Selectable<ProjectTables['credential']>
type CredentialIdentity = Pick<CredentialRow, 'project_id' | 'id' | 'kind'>

const bindingOf = (row: CredentialIdentity & { base_url: string | null }): SecretBinding =>
  row.base_url === null ? bindingOfEarlierVersions(row) : bindingTo(row.base_url, row)

const bindingTo = (baseUrl: string, row: CredentialIdentity): SecretBinding => ({
  ...bindingOfEarlierVersions(row),
  credentialId: `${row.id} ${baseUrl}`,
})

const bindingOfEarlierVersions = (row: CredentialIdentity): SecretBinding => ({
  projectId: row.project_id,
  credentialId: row.id,
  kind: row.kind,
})
