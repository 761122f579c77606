/** The page views that are not in ClickHouse yet. For metrics. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import { sizeOfDeliveryIds } from '../collect/delivery-ids.ts'

export interface ViewBacklog {
  bytes: number
  /** They share the limit of the buffer. */
  deliveryIdBytes: number
  waitingBatches: number
  quarantinedBatches: number
  /** Of those that are not quarantined. */
  oldestAgeSeconds: number
}

export async function readViewBacklog(db: Database): Promise<ViewBacklog> {
  const { rows } = await sql<{ bytes: string; idBytes: string; batches: number; quarantined: number; age: number }>`
    WITH quarantined AS (SELECT unnest(batch_ids) AS id FROM view_block WHERE quarantined_at IS NOT NULL)
    SELECT coalesce(sum(size_bytes), 0) AS bytes, ${sizeOfDeliveryIds} AS "idBytes", count(*)::int AS batches, count(quarantined.id)::int AS quarantined,
      coalesce(extract(epoch FROM clock_timestamp() - min(created_at) FILTER (WHERE quarantined.id IS NULL)), 0)::float8 AS age
    FROM view_batch LEFT JOIN quarantined USING (id)`.execute(db)
  const { bytes, idBytes, batches, quarantined, age } = rows[0] ?? nothing
  return {
    bytes: Number(bytes),
    deliveryIdBytes: Number(idBytes),
    waitingBatches: batches - quarantined,
    quarantinedBatches: quarantined,
    oldestAgeSeconds: Math.max(0, age),
  }
}

const nothing = { bytes: '0', idBytes: '0', batches: 0, quarantined: 0, age: 0 }
