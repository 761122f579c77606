import { afterAll, expect, inject, test } from 'vitest'
import { PostgresViewBuffer } from '../collect/view-buffer.ts'
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
import { startViewRetention } from './view-retention.ts'

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
  const buffer = new PostgresViewBuffer(db, { maxBufferBytes: 1e9 })
  const at = [monthsAgo(3), new Date(monthsAgo(2).getTime() - 1), monthsAgo(2), monthsAgo(1), monthsAgo(0)]
  for (const projectId of [limited, unlimited]) {
    const views = at.map((time) => createTestView({ projectId, at: time }))
    await buffer.append({ projectId, source: 'servers', countsHumans: true, deliveryId: undefined, views })
  }
  const client = await instance.pool.connect()
  await loadBlocks({ store: new BlockStore(client), clickhouse, log: instance.log })
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
  expect(await deleteExpiredViews(db, clickhouse)).toBe(1)
  expect(await deleteExpiredViews(db, clickhouse)).toBe(0)
  expect(await read(limited, everything)).toEqual([3, 3, 3])
  expect(await read(unlimited, everything)).toEqual([5, 5, 5])
  const tables = await instance.queryRows(`
    SELECT (SELECT count() FROM page_view WHERE project_id = '${limited}') AS views,
      (SELECT sum(human) FROM views_by_page_and_day WHERE project_id = '${limited}') AS days`)
  expect(tables).toEqual([{ views: 3, days: 3 }])

  const early = { from: monthsAgo(3), to: monthsAgo(2) }
  const coverage = (projectId: typeof limited) => findCoverage(db, { projectId, range: early })
  expect(await coverage(limited)).toEqual({ human: 'not_measured', ai: 'not_measured' })
  expect(await coverage(unlimited)).toEqual({ human: 'measured', ai: 'measured' })
  const kept = { from: monthsAgo(2), to: monthsAgo(1) }
  expect(await findCoverage(db, { projectId: limited, range: kept })).toEqual({ human: 'measured', ai: 'measured' })
})

test('deletes delivery IDs after a week, except those of imports', async () => {
  const projectId = await instance.newProject('Delivery IDs')
  const buffer = new PostgresViewBuffer(db, { maxBufferBytes: 1e9 })
  const deliver = (text: string, retention: 'week' | 'forever') =>
    buffer.append({
      projectId,
      source: 'servers',
      countsHumans: true,
      deliveryId: { text, retention },
      views: [],
    })
  await Promise.all([deliver('beacon', 'week'), deliver('file', 'forever')])
  expect(await deleteExpiredDeliveries(db)).toBe(0)
  await instance.pool.query("UPDATE view_delivery SET expires_on = expires_on - 8 WHERE expires_on <> 'infinity'")
  const retention = startViewRetention({ db, clickhouse, log: instance.log })
  const storedIds = async () => (await instance.pool.query('SELECT count(*)::int AS n FROM view_delivery')).rows
  await expect.poll(storedIds).toEqual([{ n: 1 }])
  await retention.stop()
  expect(await Promise.all([deliver('beacon', 'week'), deliver('file', 'forever')])).toEqual(['stored', 'repeated'])
})
