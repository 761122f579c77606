/** Entries of the audit logs that still have to be sent to the webhook of the instance. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import { type AuditEntry, toAuditEntry } from './audit-store.ts'
import type { AuditedProject } from './tables.ts'

/** The entry, and the project in whose log it is. `instance`: in that of the instance. */
export type ExportedEntry = AuditEntry & { log: AuditedProject }

export class AuditExportStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** From now on, new entries are queued. Undefined: they are not, and what is queued is dropped. */
  async setTarget(url: string | undefined): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      if (url === undefined) {
        await tx.deleteFrom('audit_export_target').execute()
        await tx.deleteFrom('audit_export').execute()
      } else
        await tx
          .insertInto('audit_export_target')
          .values({ url })
          .onConflict((conflict) => conflict.column('is_only').doUpdateSet({ url }))
          .execute()
    })
  }

  /** The oldest entries that no other process is sending. They are sent again if they are not removed in time. */
  async lease({ limit, leaseSeconds }: { limit: number; leaseSeconds: number }): Promise<ExportedEntry[]> {
    const leased = await this.#db
      .updateTable('audit_export')
      .set({ leased_until: sql<Date>`now() + make_interval(secs => ${leaseSeconds})` })
      .where('id', 'in', (query) =>
        query
          .selectFrom('audit_export')
          .select('id')
          .where('leased_until', '<', sql<Date>`now()`)
          .orderBy('id')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['id', 'project_id'])
      .execute()
    if (leased.length === 0) return []
    const rows = await this.#db
      .selectFrom('audit_entry')
      .selectAll()
      .where('project_id', 'in', [...new Set(leased.map(({ project_id }) => project_id))])
      .where(
        'id',
        'in',
        leased.map(({ id }) => id),
      )
      .orderBy('id')
      .execute()
    return rows.map((row) => ({ log: row.project_id, ...toAuditEntry(row) }))
  }

  async remove(entries: readonly ExportedEntry[]): Promise<void> {
    await this.#db
      .deleteFrom('audit_export')
      .where(
        'id',
        'in',
        entries.map(({ id }) => id),
      )
      .execute()
  }
}
