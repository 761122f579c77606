import { type Kysely, sql } from 'kysely'
import type { Id } from '../platform/ids.ts'
import { newId } from '../platform/ids.ts'
import type { JobTables } from './tables.ts'

export interface Runner {
  id: Id<'run'>
  name: string
  /** Null: of all projects. */
  projectIds: readonly Id<'prj'>[] | null
}

export class RunnerStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  async create(name: string, tokenHash: Buffer, projectIds: readonly Id<'prj'>[] | null): Promise<Runner> {
    const id = newId('run')
    await this.#db
      .insertInto('runner')
      .values({ id, name, token_hash: tokenHash, project_ids: projectIds ? [...projectIds] : null })
      .execute()
    return { id, name, projectIds }
  }

  /** Asked at every claim: that is what makes a revocation hold at the next one. */
  async find(tokenHash: Buffer): Promise<Runner | undefined> {
    const row = await this.#db
      .updateTable('runner')
      .set({ last_seen_at: sql<Date>`now()` })
      .where('token_hash', '=', tokenHash)
      .where('revoked_at', 'is', null)
      .returning(['id', 'name', 'project_ids as projectIds'])
      .executeTakeFirst()
    return row
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
}
