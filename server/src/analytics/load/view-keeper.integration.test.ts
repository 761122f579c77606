import { afterAll, expect, inject, test } from 'vitest'
import { recordAudit } from '../../audit/audit-store.ts'
import { ViewBuffer } from '../collect/view-buffer.ts'
import { findCoverage } from '../query/find-coverage.ts'
import { listClients } from '../query/list-clients.ts'
import { listViews } from '../query/list-views.ts'
import { keptRange, type TimeRange } from '../query/time-range.ts'
import { viewTimeseries } from '../query/view-timeseries.ts'
import { SettingsStore } from '../settings/settings-store.ts'
import { makeView } from '../testing/make-view.ts'
import { createViewsTestInstance } from '../testing/views-test-instance.ts'
import { expireViews } from './expire-views.ts'
import { forgetDeliveries } from './forget-deliveries.ts'
import { loadRound } from './load-round.ts'
import { LoadStore } from './load-store.ts'
import { startViewKeeper } from './view-keeper.ts'

const instance = await createViewsTestInstance(inject('services'), 'view keeper')
afterAll(() => instance.drop())
const { db, clickhouse } = instance
const settings = new SettingsStore(db, recordAudit)
const everything: TimeRange = { from: undefined, to: undefined }

const now = new Date()
const monthsAgo = (months: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))

test('a project keeps what it wants to keep, in every table, and others keep all', async () => {
  const [brief, keeping] = await Promise.all(['Brief', 'Keeping'].map((name) => instance.newProject(name)))
  if (!brief || !keeping) throw new Error('no projects')
  const buffer = new ViewBuffer(db, { limitBytes: 1e9 })
  const at = [monthsAgo(3), new Date(monthsAgo(2).getTime() - 1), monthsAgo(2), monthsAgo(1), monthsAgo(0)]
  for (const projectId of [brief, keeping]) {
    const views = at.map((time) => makeView({ projectId, at: time }))
    await buffer.append({ projectId, shard: 0, source: 'servers', countsHumans: true, deliveryId: undefined, views })
  }
  const client = await instance.pool.connect()
  await loadRound({ store: new LoadStore(client, 0), clickhouse, log: instance.log })
  client.release()

  await settings.change(brief, { retentionMonths: 2 }, { kind: 'operator' })
  const read = async (projectId: typeof brief, range: TimeRange) => {
    const page = { projectId, range, ai: 'all', pages: {}, limit: 10, offset: 0 } as const
    const step = { projectId, range, ai: 'all', step: 'month', timeZone: 'UTC' } as const
    return [
      (await listViews(clickhouse, page)).totals.human,
      (await listClients(clickhouse, { projectId, range })).reduce((sum, { views }) => sum + views, 0),
      (await viewTimeseries(clickhouse, step)).reduce((sum, { human }) => sum + human, 0),
    ]
  }
  expect(await read(brief, keptRange(everything, 2, now))).toEqual([3, 3, 3])
  expect(await read(brief, everything)).toEqual([5, 5, 5])
  expect(await expireViews(db, clickhouse, 0)).toBe(1)
  expect(await expireViews(db, clickhouse, 0)).toBe(0)
  expect(await read(brief, everything)).toEqual([3, 3, 3])
  expect(await read(keeping, everything)).toEqual([5, 5, 5])
  const tables = await instance.sqlOf(`
    SELECT (SELECT count() FROM page_view WHERE project_id = '${brief}') AS views,
      (SELECT sum(human) FROM views_by_page_and_day WHERE project_id = '${brief}') AS days`)
  expect(tables).toEqual([{ views: 3, days: 3 }])

  const early = { from: monthsAgo(3), to: monthsAgo(2) }
  const coverage = (projectId: typeof brief) => findCoverage(db, { projectId, range: early })
  expect(await coverage(brief)).toEqual({ human: 'not_measured', ai: 'not_measured' })
  expect(await coverage(keeping)).toEqual({ human: 'measured', ai: 'measured' })
  const kept = { from: monthsAgo(2), to: monthsAgo(1) }
  expect(await findCoverage(db, { projectId: brief, range: kept })).toEqual({ human: 'measured', ai: 'measured' })
})

test('deliveries are forgotten after a week, those of imports never', async () => {
  const projectId = await instance.newProject('Remembered')
  const buffer = new ViewBuffer(db, { limitBytes: 1e9 })
  const deliver = (text: string, keep: 'a week' | 'for ever') =>
    buffer.append({
      projectId,
      shard: 0,
      source: 'servers',
      countsHumans: true,
      deliveryId: { text, keep },
      views: [],
    })
  await Promise.all([deliver('beacon', 'a week'), deliver('file', 'for ever')])
  expect(await forgetDeliveries(db)).toBe(0)
  await instance.pool.query("UPDATE view_delivery SET expires_on = expires_on - 8 WHERE expires_on <> 'infinity'")
  const keeper = startViewKeeper({ db, clickhouse, shard: 0, log: instance.log })
  const known = async () => (await instance.pool.query('SELECT count(*)::int AS n FROM view_delivery')).rows
  await expect.poll(known, { timeout: 10_000 }).toEqual([{ n: 1 }])
  await keeper.stop()
  expect(await Promise.all([deliver('beacon', 'a week'), deliver('file', 'for ever')])).toEqual(['taken', 'repeated'])
})
