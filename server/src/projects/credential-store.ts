/** Sealed secrets of projects. Storing a secret needs only the sealer; reading one needs the opener. */
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import { type Opener, reseal, type Sealer, toSealedSecret } from '../platform/sealed-secrets/sealed-secret.ts'
import type { CredentialKind } from './tables.ts'

export class CredentialStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async put(
    projectId: Id<'prj'>,
    { kind, secret }: { kind: CredentialKind; secret: string },
    sealer: Sealer,
    actor: Actor,
  ): Promise<Id<'crd'>> {
    const id = newId('crd')
    const sealed = await sealer.seal(secret, { projectId, credentialId: id, kind })
    await this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('credential')
        .values({ project_id: projectId, id, kind, sealed: Buffer.from(sealed) })
        .execute()
      await recordAudit(tx, projectId, actor, { action: 'credential.stored', subject: id, detail: { kind } })
    })
    return id
  }

  async open(projectId: Id<'prj'>, id: Id<'crd'>, opener: Opener): Promise<string | undefined> {
    const row = await this.#db
      .selectFrom('credential')
      .select(['kind', 'sealed'])
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row && opener.open(toSealedSecret(row.sealed), { projectId, credentialId: id, kind: row.kind })
  }

  /**
   * After a new sealing key was put first, seals the secrets of older keys with it, one row at a time. If the process is
   * killed, the next run continues. A row that is written at the same time keeps the new value.
   */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('credential').select(['project_id', 'id', 'kind', 'sealed']).execute()
    let resealed = 0
    for (const row of rows) {
      const sealed = toSealedSecret(row.sealed)
      if (!sealer.needsResealing(sealed)) continue
      const binding = { projectId: row.project_id, credentialId: row.id, kind: row.kind }
      const newlySealed = await reseal(sealed, binding, { opener, sealer })
      const { numUpdatedRows } = await this.#db
        .updateTable('credential')
        .set({ sealed: Buffer.from(newlySealed) })
        .where('project_id', '=', row.project_id)
        .where('id', '=', row.id)
        .where('sealed', '=', Buffer.from(sealed))
        .executeTakeFirst()
      resealed += Number(numUpdatedRows)
    }
    return { resealed, current: rows.length - resealed }
  }
}
