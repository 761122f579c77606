/** Webhooks that were taken, by their bodies: those are signed, while what names a delivery in its headers is not. */
import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { ProjectTables } from './tables.ts'

const keptDays = 30

export class HookDeliveryStore {
  readonly #db: Kysely<ProjectTables>

  constructor(db: Kysely<ProjectTables>) {
    this.#db = db
  }

  /**
   * Tells the work whether this sender's body is new. It is remembered after the work, so that one which failed can be sent
   * again; two at the same moment may both be new, which hints bear.
   */
  async take(sender: string, body: Uint8Array, work: (isNew: boolean) => Promise<void>): Promise<void> {
    const digest = createHash('sha256').update(body).digest()
    const known = await this.#db
      .selectFrom('webhook_delivery')
      .select('sender')
      .where('sender', '=', sender)
      .where('digest', '=', digest)
      .executeTakeFirst()
    await work(known === undefined)
    await this.#db
      .insertInto('webhook_delivery')
      .values({ sender, digest })
      .onConflict((conflict) => conflict.columns(['sender', 'digest']).doNothing())
      .execute()
  }

  async forgetOld(): Promise<void> {
    await this.#db
      .deleteFrom('webhook_delivery')
      .where('received_at', '<', sql<Date>`now() - make_interval(days => ${keptDays})`)
      .execute()
  }
}
