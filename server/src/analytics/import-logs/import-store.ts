/** Earlier imports of a project, and how far each of them got. */
import type { Database } from '../../database/database.ts'
import { type Id, newId } from '../../platform/ids.ts'

export interface ImportRun {
  id: Id<'imp'>
  /** Hash of the first `plannedBytes` of the file. */
  fingerprint: Buffer
  confirmedBytes: number
  plannedBytes: number
  /** Views in the confirmed part. */
  views: number
}

const kind = 'access_log'

export class ImportStore {
  readonly #db: Database
  readonly #projectId: Id<'prj'>

  constructor(db: Database, projectId: Id<'prj'>) {
    this.#db = db
    this.#projectId = projectId
  }

  async list(): Promise<ImportRun[]> {
    const rows = await this.#db
      .selectFrom('import_run')
      .select(['id', 'fingerprint', 'confirmed_bytes', 'planned_bytes', 'views'])
      .where('project_id', '=', this.#projectId)
      .where('kind', '=', kind)
      .execute()
    return rows.map(({ id, fingerprint, confirmed_bytes, planned_bytes, views }) => ({
      id,
      fingerprint,
      confirmedBytes: Number(confirmed_bytes),
      plannedBytes: Number(planned_bytes),
      views: Number(views),
    }))
  }

  newRun(): ImportRun {
    return { id: newId('imp'), fingerprint: Buffer.alloc(0), confirmedBytes: 0, plannedBytes: 0, views: 0 }
  }

  /** Called before the views are delivered: after a crash, this shows which delivery may have been stored. */
  async plan(run: ImportRun): Promise<void> {
    await this.#write(run, null)
  }

  async finish(run: ImportRun): Promise<void> {
    if (run.plannedBytes > 0) await this.#write(run, new Date())
  }

  async #write({ id, fingerprint, confirmedBytes, plannedBytes, views }: ImportRun, finished_at: Date | null) {
    const state = {
      fingerprint,
      confirmed_bytes: String(confirmedBytes),
      planned_bytes: String(plannedBytes),
      views: String(views),
      finished_at,
    }
    await this.#db
      .insertInto('import_run')
      .values({ project_id: this.#projectId, id, kind, ...state })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doUpdateSet(state))
      .execute()
  }
}
