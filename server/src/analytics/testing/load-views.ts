import type { Pool } from 'pg'
import { createClickhouse } from '../../platform/clickhouse.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import type { Witness } from '../classify/classify.ts'
import type { View } from '../collect/view.ts'
import { ViewBuffer } from '../collect/view-buffer.ts'
import { loadRound } from '../load/load-round.ts'
import { LoadStore } from '../load/load-store.ts'
import type { AnalyticsTables } from '../tables.ts'
import { makeView } from './make-view.ts'

/** The way that views go, to its end: once this resolves they are in every answer. */
export async function loadViews(
  { pool, clickhouseUrl }: { pool: Pool; clickhouseUrl: string },
  { projectId, witness, views }: { projectId: Id<'prj'>; witness: Witness; views: readonly Partial<View>[] },
): Promise<void> {
  const buffer = new ViewBuffer(createDatabase<AnalyticsTables>(pool), { capBytes: 1e9 })
  const made = views.map((view) => makeView({ projectId, ...view }))
  await buffer.append({ projectId, shard: 0, witness, deliveryId: undefined, views: made })
  const clickhouse = createClickhouse({ url: clickhouseUrl })
  const client = await pool.connect()
  try {
    await loadRound({ store: new LoadStore(client, 0), clickhouse, log: createLog('test', { level: 'error' }) })
  } finally {
    client.release()
    await clickhouse.close()
  }
}
