import { createHash } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { addMissingPartitions, dropExpiredPartitions } from '../collect/delivery-ids.ts'
import { type DeliveryIdRetention, deliveryIdRetentions } from '../collect/view-delivery.ts'
import { findCoverage } from '../query/find-coverage.ts'
import { listClientsByViews } from '../query/list-clients.ts'
import { listPagesByViews } from '../query/list-views.ts'
import { queryTimeseries } from '../query/query-timeseries.ts'
import { clampToRetention, type TimeRange } from '../query/time-range.ts'
import { AnalyticsSettingsStore } from '../settings/analytics-settings-store.ts'
import { createTestView } from '../testing/create-test-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { BlockStore } from './block-store.ts'
import { deleteExpiredDeliveries } from './delete-expired-deliveries.ts'
import { deleteExpiredViews } from './delete-expired-views.ts'
import { loadBlocks } from './load-blocks.ts'
import { StandbyWait } from './standby-wait.ts'

const instance = await createViewsTestInstance(inject('services'), 'view retention')
afterAll(() => instance.drop())
const { db, clickhouse } = instance
const settings = new AnalyticsSettingsStore(db)
const everything: TimeRange = { from: undefined, to: undefined }

const now = new Date()
const monthsAgo = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))

test('deletes views beyond the retention of a project from every table, and none of other projects', async () => {
  const [limited, unlimited] = await Promise.all(['Limited', 'Unlimited'].map((name) => instance.newProject(name)))
  if (!limited || !unlimited) throw new Error('no projects')
  const buffer = instance.newBuffer()
  const at = [monthsAgo(3), new Date(monthsAgo(2).getTime() - 1), monthsAgo(2), monthsAgo(1), monthsAgo(0)]
  for (const projectId of [limited, unlimited]) {
    const views = at.map((time) => createTestView({ projectId, at: time }))
    await buffer.append({ projectId, source: 'servers', countsHumans: true, deliveryId: undefined, views })
  }
  const client = await instance.pool.connect()
  const { log } = instance
  await loadBlocks({ store: new BlockStore(client), standbys: new StandbyWait(client, log), clickhouse, log })
  client.release()

  await settings.change(limited, { retentionMonths: 2 }, { kind: 'operator' })
  const read = async (projectId: typeof limited, range: TimeRange) => {
    const page = { projectId, range, ai: 'all', pages: {}, limit: 10, offset: 0 } as const
    const step = { projectId, range, ai: 'all', step: 'month', timeZone: 'UTC' } as const
    return [
      (await listPagesByViews(clickhouse, page)).totals.human,
      (await listClientsByViews(clickhouse, { projectId, range })).reduce((sum, { views }) => sum + views, 0),
      (await queryTimeseries(clickhouse, step)).reduce((sum, { human }) => sum + human, 0),
    ]
  }
  expect(await read(limited, clampToRetention(everything, 2, now))).toEqual([3, 3, 3])
  expect(await read(limited, everything)).toEqual([5, 5, 5])
  expect(await deleteExpiredViews(db, clickhouse, AbortSignal.timeout(60_000))).toBe(1)
  expect(await deleteExpiredViews(db, clickhouse, AbortSignal.timeout(60_000))).toBe(0)
  expect(await read(limited, everything)).toEqual([3, 3, 3])
  expect(await read(unlimited, everything)).toEqual([5, 5, 5])
  const tables = await instance.queryRows(`
    SELECT (SELECT count() FROM page_view WHERE project_id = '${limited}') AS views,
      (SELECT sum(human) FROM views_by_page_and_day WHERE project_id = '${limited}') AS days`)
  expect(tables).toEqual([{ views: 3, days: 3 }])
  const partsWithDeletedRows = () =>
    instance.queryRows(
      'SELECT table FROM system.parts WHERE database = currentDatabase() AND active AND has_lightweight_delete',
    )
  await expect.poll(partsWithDeletedRows).toEqual([])

  const early = { from: monthsAgo(3), to: monthsAgo(2) }
  const coverage = (projectId: typeof limited) => findCoverage(db, { projectId, range: early })
  expect(await coverage(limited)).toEqual({ human: 'not_measured', ai: 'not_measured' })
  expect(await coverage(unlimited)).toEqual({ human: 'measured', ai: 'measured' })
  const kept = { from: monthsAgo(2), to: monthsAgo(1) }
  expect(await findCoverage(db, { projectId: limited, range: kept })).toEqual({ human: 'measured', ai: 'measured' })
})

const tomorrow = "now() + interval '1 day'"

const slotMinutes = { beacon_delivery: 30, log_line_delivery: 6 * 60, batch_delivery: 24 * 60 }

/** As if everything had arrived earlier: moves the rows into new partitions of that time. */
async function age(table: keyof typeof slotMinutes, interval: string) {
  await instance.pool.query(
    `CREATE TEMP TABLE aged AS SELECT slot - interval '${interval}' AS slot, delivery FROM ${table}`,
  )
  await instance.pool.query(`TRUNCATE ${table}`)
  const { rows } = await instance.pool.query<{ slot: string; name: string }>(
    `SELECT DISTINCT slot::text, '${table}' || to_char(slot AT TIME ZONE 'UTC', '_YYYYMMDD_HH24MI') AS name FROM aged`,
  )
  for (const { slot, name } of rows) {
    const to = `(timestamptz '${slot}' + interval '${slotMinutes[table]} minutes')`
    const { rows: ends } = await instance.pool.query<{ to: string }>(`SELECT ${to}::text AS to`)
    await instance.pool.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${table} FOR VALUES FROM ('${slot}') TO ('${ends[0]?.to}')`,
    )
  }
  await instance.pool.query(`INSERT INTO ${table} SELECT * FROM aged`)
  await instance.pool.query('DROP TABLE aged')
}

test('drops delivery IDs when they have expired, except those of imports', async () => {
  const projectId = await instance.newProject('Delivery IDs')
  const buffer = instance.newBuffer()
  const deliver = (retention: DeliveryIdRetention) =>
    buffer.append({
      projectId,
      source: 'servers',
      countsHumans: true,
      deliveryId: { text: retention, retention },
      views: [],
    })
  const deliverAll = () => Promise.all(deliveryIdRetentions.map(deliver))
  const allRepeated = ['repeated', 'repeated', 'repeated', 'repeated']
  expect(await deliverAll()).toEqual(['stored', 'stored', 'stored', 'stored'])
  expect(await deliverAll()).toEqual(allRepeated)
  await age('beacon_delivery', '30 minutes')
  await age('log_line_delivery', '24 hours')
  await age('batch_delivery', '6 days')
  expect(await deliverAll()).toEqual(allRepeated)
  await addMissingPartitions(db)
  await dropExpiredPartitions(db)
  expect(await deliverAll()).toEqual(allRepeated)
  await age('beacon_delivery', '2 hours')
  await age('log_line_delivery', '36 hours')
  await age('batch_delivery', '8 days')
  expect(await dropExpiredPartitions(db)).toBeGreaterThanOrEqual(3)
  expect(await deliverAll()).toEqual(['stored', 'stored', 'stored', 'repeated'])
})

test('recognizes deliveries of the previous version for a week', async () => {
  const projectId = await instance.newProject('Upgraded')
  const id = createHash('sha256').update(`${projectId}\nbefore`).digest().subarray(0, 16)
  await instance.pool.query(`INSERT INTO view_delivery VALUES ($1, ${tomorrow})`, [id])
  const deliver = (text: string) =>
    instance.newBuffer().append({
      projectId,
      source: 'servers',
      countsHumans: true,
      deliveryId: { text, retention: 'week' },
      views: [],
    })
  expect([await deliver('before'), await deliver('after')]).toEqual(['repeated', 'stored'])
  await instance.pool.query("UPDATE view_delivery SET expires_on = now() - interval '2 days' WHERE delivery = $1", [id])
  expect(await deleteExpiredDeliveries(db)).toBe(1)
  expect(await deliver('before')).toBe('stored')
})
