/** Webhook deliveries that were processed. They are identified by their bodies, which are signed; the delivery ID header is not. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

export const webhookDeliveryRetentionDays = 30

export class WebhookDeliveryStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /**
   * Calls `work` with whether this body is new for this sender. The delivery is recorded after `work`, so that a delivery that
   * failed can be sent again. Of two equal deliveries at the same time, both may count as new. That is harmless, because
   * webhooks only request a poll.
   */
  async process(sender: string, body: Uint8Array, work: (isNew: boolean) => Promise<void>): Promise<void> {
    const digest = createHash('sha256').update(body).digest()
    const previous = await this.#db
      .selectFrom('webhook_delivery')
      .select('sender')
      .where('sender', '=', sender)
      .where('digest', '=', digest)
      .executeTakeFirst()
    await work(previous === undefined)
    await this.#db
      .insertInto('webhook_delivery')
      .values({ sender, digest })
      .onConflict((conflict) => conflict.columns(['sender', 'digest']).doNothing())
      .execute()
  }

  async deleteExpired(): Promise<void> {
    await this.#db
      .deleteFrom('webhook_delivery')
      .where('received_at', '<', sql<Date>`now() - make_interval(days => ${webhookDeliveryRetentionDays})`)
      .execute()
  }
}
