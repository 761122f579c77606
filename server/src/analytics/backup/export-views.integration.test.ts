import { afterAll, expect, inject, test } from 'vitest'
import type { Id } from '../../platform/ids.ts'
import { BlockStore } from '../load/block-store.ts'
import { loadBlocks } from '../load/load-blocks.ts'
import { pauseLoader, resumeLoader } from '../load/loader-pause.ts'
import { StandbyWait } from '../load/standby-wait.ts'
import { createTestView } from '../testing/create-test-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { exportSentBatches, exportViews, listViewMonths, takeViewSnapshot, type ViewSnapshot } from './export-views.ts'

const services = inject('services')
const instance = await createViewsTestInstance(services, 'export views')
afterAll(() => instance.drop())
const { pool, clickhouse, log } = instance

async function deliver(projectId: Id<'prj'>, path: string) {
  const views = [createTestView({ projectId, path })]
  await instance.newBuffer().append({ projectId, source: 'servers', countsHumans: true, deliveryId: undefined, views })
}

async function load() {
  const client = await pool.connect()
  try {
    await loadBlocks({ store: new BlockStore(client), standbys: new StandbyWait(client, log), clickhouse, log })
  } finally {
    client.release()
  }
}

async function takeSnapshot(): Promise<ViewSnapshot> {
  const client = await pool.connect()
  try {
    await pauseLoader(client)
    const snapshot = await takeViewSnapshot(client, clickhouse)
    await resumeLoader(client)
    return snapshot
  } finally {
    client.release()
  }
}

/** The third column of each line. */
async function readPaths(snapshot: ViewSnapshot): Promise<string[]> {
  let text = ''
  for (const month of await listViewMonths(clickhouse, snapshot))
    for await (const chunk of exportViews(clickhouse, snapshot, month)) text += Buffer.from(chunk).toString()
  return text.split('\n').flatMap((line) => line.split('\t')[2] ?? [])
}

async function countSentBatches(snapshot: ViewSnapshot): Promise<number> {
  let text = ''
  for await (const chunk of exportSentBatches(clickhouse, snapshot)) text += Buffer.from(chunk).toString()
  return text.split('\n').length - 1
}

test('leaves out blocks that were sent after the snapshot, and those that are not known to be loaded', async () => {
  const projectId = await instance.newProject('Export')
  await deliver(projectId, '/loaded')
  await load()
  await deliver(projectId, '/waiting')
  const snapshot = await takeSnapshot()
  await load()
  await deliver(projectId, '/later')
  await load()
  expect(await readPaths(snapshot)).toEqual(['/loaded'])
  expect(await countSentBatches(snapshot)).toBe(1)

  // It was inserted, but the loader was killed before it recorded that.
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, date_trunc('month', now()), 1, 1, '') RETURNING id`,
  )
  const [block] = await instance.queryRows<{ id: string }>(
    "SELECT toString(block_id) AS id FROM page_view WHERE path = '/later'",
  )
  await pool.query(
    `INSERT INTO view_block (shard, id, month, batch_ids) VALUES (0, $1, date_trunc('month', now()), $2)`,
    [block?.id, [rows[0]?.id]],
  )
  const later = await takeSnapshot()
  expect((await readPaths(later)).toSorted()).toEqual(['/loaded', '/waiting'])
})
