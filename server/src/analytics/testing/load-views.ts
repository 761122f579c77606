import type { Pool } from 'pg'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import type { View } from '../collect/view.ts'
import { ViewBuffer } from '../collect/view-buffer.ts'
import type { ViewDelivery } from '../collect/view-delivery.ts'
import { loadRound } from '../load/load-round.ts'
import { LoadStore } from '../load/load-store.ts'
import type { AnalyticsTables } from '../tables.ts'
import { makeView } from './make-view.ts'

/** The way that views go, to its end: once this resolves they are in every answer. */
export async function loadViews(
  { pool, clickhouseUrl }: { pool: Pool; clickhouseUrl: string },
  delivery: Pick<ViewDelivery, 'projectId' | 'source' | 'countsHumans'> & { views: readonly Partial<View>[] },
): Promise<void> {
  const buffer = new ViewBuffer(createDatabase<AnalyticsTables>(pool), { limitBytes: 1e9 })
  const views = delivery.views.map((view) => makeView({ projectId: delivery.projectId, ...view }))
  await buffer.append({ ...delivery, shard: 0, deliveryId: undefined, views })
  await loadWaiting({ pool, clickhouseUrl })
}

/** What waits in the buffer is in every answer, once this resolves. */
export async function loadWaiting({ pool, clickhouseUrl }: { pool: Pool; clickhouseUrl: string }): Promise<void> {
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  const client = await pool.connect()
  try {
    await loadRound({ store: new LoadStore(client, 0), clickhouse, log: createLog('test', { level: 'error' }) })
  } finally {
    client.release()
    await clickhouse.close()
  }
}
