import type { Pool } from 'pg'
import { createDatabase } from '../../database/database.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { createLog } from '../../platform/log.ts'
import type { View } from '../collect/view.ts'
import { PostgresViewBuffer } from '../collect/view-buffer.ts'
import type { ViewDelivery } from '../collect/view-delivery.ts'
import { BlockStore } from '../load/block-store.ts'
import { loadBlocks } from '../load/load-blocks.ts'
import { StandbyWait } from '../load/standby-wait.ts'
import { createTestView } from './create-test-view.ts'

/** Sends views all the way to ClickHouse: when this resolves, every query includes them. */
export async function loadViews(
  { pool, clickhouseUrl }: { pool: Pool; clickhouseUrl: string },
  delivery: Pick<ViewDelivery, 'projectId' | 'source' | 'countsHumans'> & { views: readonly Partial<View>[] },
): Promise<void> {
  const buffer = new PostgresViewBuffer({ pool, database: createDatabase(pool) }, { maxBufferBytes: 1e9 })
  const views = delivery.views.map((view) => createTestView({ projectId: delivery.projectId, ...view }))
  await buffer.append({ ...delivery, deliveryId: undefined, views })
  await loadPendingViews({ pool, clickhouseUrl })
}

/** Loads the buffered views: when this resolves, every query includes them. */
export async function loadPendingViews({ pool, clickhouseUrl }: { pool: Pool; clickhouseUrl: string }): Promise<void> {
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  const client = await pool.connect()
  try {
    const log = createLog('test', { level: 'error' })
    await loadBlocks({ store: new BlockStore(client), standbys: new StandbyWait(client, log), clickhouse, log })
  } finally {
    client.release()
    await clickhouse.close()
  }
}
