import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createClaimedTurn } from '../../../testing/harness/claimed-turn.ts'
import { connectTestRepository } from '../../../testing/harness/connect-test-repository.ts'
import { startTestApi, type TestProject } from '../../../testing/harness/test-api.ts'
import { operator } from '../../../testing/harness/test-instance.ts'
import { startTestWorker, type TestWorker } from '../../../testing/harness/test-worker.ts'
import { encodeView } from '../analytics/collect/view.ts'
import { PostgresViewBuffer } from '../analytics/collect/view-buffer.ts'
import { timeColumns } from '../analytics/load/delete-expired-views.ts'
import { createTestView } from '../analytics/testing/create-test-view.ts'
import { createGiteaTestRepository } from '../code-hosts/testing/gitea-test-repository.ts'
import { hashKey } from '../keys/key-format.ts'
import { createClickhouse } from '../platform/clickhouse.ts'
import { loadMigrateConfig } from '../platform/config.ts'
import { type Id, newId } from '../platform/ids.ts'
import { deletedProjectAuditDays } from '../project-deletion/project-deletion-store.ts'
import { deletedTables, deletedWithTurns, keptTables } from '../project-deletion/project-tables.ts'

const services = inject('services')
const api = await startTestApi(services, 'project deleter')
const clickhouse = createClickhouse(loadMigrateConfig(api.environment).clickhouse)
let worker: TestWorker | undefined
afterAll(async () => {
  await worker?.stop()
  await clickhouse.close()
  await api.drop()
})
beforeAll(async () => {
  worker = await startTestWorker(api)
}, 60_000)

const { stores, pool } = api

const countViews = async (projectId: Id<'prj'>): Promise<number[]> => {
  const counts: number[] = []
  for (const table of Object.keys(timeColumns)) {
    const response = await clickhouse.query({
      query: `SELECT count() AS rows FROM ${table} WHERE project_id = '${projectId}'`,
      format: 'JSONEachRow',
    })
    const [row] = await response.json<{ rows: string }>()
    counts.push(Number(row?.rows))
  }
  return counts
}

const isDeleted = async (projectId: Id<'prj'>) =>
  (await stores.projectDeletions.list()).some((deletion) => deletion.projectId === projectId && deletion.completedAt)

const sendViews = (project: TestProject, paths: readonly string[]) =>
  project.client.views.ingest(project.projectId, {
    views: paths.map((path) => ({
      path,
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    })),
  })

/** Every table that names projects, by any column. */
const listProjectTables = async (): Promise<string[]> => {
  const { rows } = await pool.query<{ table_name: string }>(
    `SELECT DISTINCT table_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
       AND (column_name IN ('project_id', 'project_ids', 'scope', 'sender') AND table_name <> 'person_account' OR table_name = 'project')
     ORDER BY table_name`,
  )
  return rows.map(({ table_name }) => table_name)
}

test('knows every table that names projects, in both databases', async () => {
  expect([...Object.keys(deletedTables), ...deletedWithTurns, ...keptTables].sort()).toEqual(await listProjectTables())
  const response = await clickhouse.query({
    query: `SELECT DISTINCT table FROM system.columns
            WHERE database = currentDatabase() AND name LIKE '%project%' AND NOT startsWith(table, 'fill_') ORDER BY table`,
    format: 'JSONEachRow',
  })
  const tables = (await response.json<{ table: string }>()).map(({ table }) => table)
  expect(tables).toEqual(Object.keys(timeColumns).sort())
})

/** A new table must be classified here, or above. */
const tablesOfInstance = [
  'audit_export_target',
  'beacon_delivery',
  'batch_delivery',
  'deleted_project_spend',
  'failed_sign_in',
  'github_app',
  'instance_backup',
  'instance_backup_schedule',
  'instance_budget',
  'instance_upgrade',
  'log_line_delivery',
  'one_time_link',
  'person',
  'person_account',
  'passkey_challenge',
  'person_network',
  'person_passkey',
  'person_session',
  'person_two_factor',
  'person_verification',
  'sign_in_counter',
  'used_totp_code',
  // Of all projects together: batches of views, and hashes of delivery IDs.
  'view_batch',
  'view_block',
  'view_delivery',
  // The record of migrations.
  'schema_migration',
]
const tablesOfTurns = ['held_result', 'turn_over_budget', 'turn_result_chunk']

test('knows every table of PostgreSQL', async () => {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition`,
  )
  const known = [
    ...Object.keys(deletedTables),
    ...deletedWithTurns,
    ...keptTables,
    ...tablesOfInstance,
    ...tablesOfTurns,
  ]
  expect(rows.map(({ name }) => name).sort()).toEqual(known.sort())
})

test('deletes everything of a project, and nothing of its neighbor', { timeout: 120_000 }, async () => {
  const [project, neighbor] = await Promise.all([api.createProject('Handbook'), api.createProject('Neighbor')])
  const { projectId } = project
  const repository = await createGiteaTestRepository(services.gitea)
  for (const each of [projectId, neighbor.projectId]) await connectTestRepository(api, each, repository)
  const owner = await api.signIn({ projectId, role: 'owner' })
  const viewer = await api.signIn({ projectId, role: 'viewer' })
  for (const each of [project, neighbor]) await sendViews(each, ['/a', '/b'])
  const siteKey = await stores.analyticsSettings.createSiteKey(projectId, operator)
  const idle = await project.client.jobs.create(projectId, { prompt: 'Fix the typo.' })
  const running = await createClaimedTurn(api, projectId, 'test-model')
  const neighborJob = await createClaimedTurn(api, neighbor.projectId, 'test-model')
  await stores.runners.create(
    {
      name: 'both',
      tokenHash: hashKey(neighbor.secret as never),
      projectIds: [projectId, neighbor.projectId],
      expiresAt: null,
    },
    operator,
  )
  await expect.poll(() => countViews(projectId), { timeout: 20_000 }).toEqual([2, 2, 2, 1, 1])
  const webhookOf = (id: string) => `https://colophon.example/v1/webhooks/${id}`
  for (const each of [projectId, neighbor.projectId])
    await repository.host.ensureWebhook({ url: webhookOf(each), secret: 'the secret' })

  await pool.query("INSERT INTO model_day VALUES ($1, current_date, 'test-model', 2, 1000, 0.5, 0)", [projectId])
  const { total: spent, days } = await stores.spend.read('instance', undefined)

  await expect(viewer.client.projects.delete(projectId, 'Handbook')).rejects.toMatchObject({
    code: 'insufficient_role',
  })
  await expect(project.client.projects.delete(projectId, 'Handbook')).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
  await expect(owner.client.projects.delete(projectId, 'handbook')).rejects.toMatchObject({ code: 'invalid_request' })
  await owner.client.projects.delete(projectId, 'Handbook')

  await expect(owner.client.projects.get(projectId)).rejects.toMatchObject({ code: 'not_found' })
  await expect(owner.client.projects.delete(projectId, 'Handbook')).rejects.toMatchObject({ code: 'not_found' })
  expect((await owner.client.projects.list()).projects).toEqual([])
  await expect(project.client.jobs.get(projectId, idle.id)).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(sendViews(project, ['/late'])).rejects.toMatchObject({ code: 'unauthenticated' })
  const beacon = await fetch(`${api.url}/v1/collect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key: siteKey.key, id: crypto.randomUUID(), path: '/late' }),
  })
  expect(beacon.status).toBe(404)
  const webhook = await fetch(`${api.url}/v1/webhooks/${projectId}`, { method: 'POST', body: '{}' })
  expect(webhook.status).toBe(401)
  const live = await stores.attempts.findLive(hashKey(running.attemptToken))
  expect(live?.stop ?? 'cancelled').toBe('cancelled')

  await expect.poll(() => isDeleted(projectId), { timeout: 60_000 }).toBe(true)
  expect(await countViews(projectId)).toEqual([0, 0, 0, 0, 0])
  expect(await repository.webhooks()).not.toContain(webhookOf(projectId))
  expect(await repository.webhooks()).toContain(webhookOf(neighbor.projectId))
  expect(await stores.attempts.findLive(hashKey(running.attemptToken))).toBeUndefined()

  expect(await countViews(neighbor.projectId)).toEqual([2, 2, 2, 1, 1])
  expect(await neighbor.client.jobs.get(neighbor.projectId, neighborJob.jobId)).toMatchObject({ status: 'active' })
  const [runner] = (await stores.runners.list()).filter(({ name }) => name === 'both')
  expect(runner?.projectIds).toEqual([neighbor.projectId])
  const after = await stores.spend.read('instance', undefined)
  expect(spent).toMatchObject({ calls: 2, tokens: 1000, costUsd: 0.5 })
  expect([after.total, after.days, after.projects]).toEqual([spent, days, []])
  const entries = await stores.audit.list('instance', { limit: 10, before: undefined })
  expect(entries.filter(({ subject }) => subject === projectId)).toMatchObject([
    { action: 'project.deleted', actor: owner.email, detail: { name: 'Handbook' } },
  ])
  const { rows } = await pool.query('SELECT requested_by FROM project_deletion WHERE project_id = $1', [projectId])
  expect(rows).toEqual([{ requested_by: null }])
  await repository.remove()
})

test('stores no views that arrive late, and waits for a transaction that is storing some', {
  timeout: 60_000,
}, async () => {
  const project = await api.createProject('Late')
  const { projectId } = project
  const buffer = new PostgresViewBuffer(api, { maxBufferBytes: 1e9 })
  const append = () =>
    buffer.append({
      projectId,
      source: 'servers',
      countsHumans: true,
      deliveryId: undefined,
      views: [createTestView({ projectId })],
    })
  const writer = await pool.connect()
  await writer.query('BEGIN')
  await writer.query('SELECT pg_current_xact_id()')
  await stores.projectDeletions.request(projectId, { name: 'Late' }, operator)
  await sleep(3_000)
  expect(await isDeleted(projectId)).toBe(false)
  await expect(append()).rejects.toMatchObject({ code: 'not_found' })
  await writer.query(
    `INSERT INTO view_batch (shard, month, rows, size_bytes, body) VALUES (0, date_trunc('month', now()), 1, 100, $1)`,
    [gzipSync(encodeView(createTestView({ projectId })))],
  )
  await writer.query('COMMIT')
  writer.release()
  await expect.poll(() => isDeleted(projectId), { timeout: 30_000 }).toBe(true)
  expect(await countViews(projectId)).toEqual([0, 0, 0, 0, 0])
  await expect(append()).rejects.toMatchObject({ code: 'not_found' })
})

test('removes the views of the project from batches that ClickHouse rejected', { timeout: 60_000 }, async () => {
  const [{ projectId }, neighbor] = await Promise.all([api.createProject('Rejected'), api.createProject('Neighbor')])
  const addRejected = async (...projectIds: Id<'prj'>[]) => {
    const views = projectIds.map((each) => encodeView(createTestView({ projectId: each })))
    const { rows } = await pool.query<{ id: string }>(
      `WITH batch AS (
         INSERT INTO view_batch (shard, month, rows, size_bytes, body)
         VALUES (0, date_trunc('month', now()), $1, $2, $3) RETURNING id, month
       ), block AS (
         INSERT INTO view_block (shard, id, month, batch_ids, quarantined_at) SELECT 0, id, month, ARRAY[id], now() FROM batch
       ) SELECT id FROM batch`,
      [views.length, Buffer.byteLength(views.join('')), gzipSync(views.join(''))],
    )
    return rows[0]?.id
  }
  const own = await addRejected(projectId, projectId)
  const shared = await addRejected(projectId, neighbor.projectId)
  const ofNeighbor = await addRejected(neighbor.projectId)
  await stores.projectDeletions.request(projectId, { name: 'Rejected' }, operator)
  await expect.poll(() => isDeleted(projectId), { timeout: 30_000 }).toBe(true)

  const { rows } = await pool.query<{ id: string; rows: number; body: Buffer }>(
    'SELECT id, rows, body FROM view_batch WHERE id = ANY ($1) ORDER BY id',
    [[own, shared, ofNeighbor]],
  )
  expect(rows.map(({ id, rows: count }) => [id, count])).toEqual([shared, ofNeighbor].map((id) => [id, 1]))
  for (const { body } of rows) expect(gunzipSync(body).toString()).toMatch(`["${neighbor.projectId}"`)
  const { rows: blocks } = await pool.query('SELECT FROM view_block WHERE batch_ids && $1', [[own]])
  expect(blocks).toEqual([])
})

test('deletes the audit entries of a project 90 days after the project', async () => {
  const old = newId('prj')
  const recent = newId('prj')
  const deletedDaysAgo = [
    [old, deletedProjectAuditDays + 1],
    [recent, deletedProjectAuditDays - 1],
  ] as const
  for (const [projectId, days] of deletedDaysAgo) {
    await pool.query(
      `INSERT INTO project_deletion (project_id, requested_at, completed_at)
       VALUES ($1, now() - make_interval(days => $2), now() - make_interval(days => $2))`,
      [projectId, days],
    )
    await pool.query(
      `INSERT INTO audit_entry (project_id, id, at, actor, action, subject)
       SELECT $1::text, 'aud_' || number, now() - make_interval(days => $2), 'operator', 'project.paused', $1
       FROM generate_series(1, 3) AS number`,
      [projectId, days],
    )
  }
  while ((await stores.projectDeletions.deleteExpiredAudit(2)) > 0);
  const { rows } = await pool.query('SELECT project_id FROM audit_entry WHERE project_id IN ($1, $2)', [old, recent])
  expect(rows).toEqual(Array(3).fill({ project_id: recent }))
  const listed = (await stores.projectDeletions.list()).map(({ projectId }) => projectId)
  expect(listed).toContain(recent)
  expect(listed).not.toContain(old)
})
