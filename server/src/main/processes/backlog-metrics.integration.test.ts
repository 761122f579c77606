import { afterAll, afterEach, beforeEach, expect, inject, test } from 'vitest'
import { createClaimingRunner, createQueuedTurn, testTurnLimits } from '../../../../testing/harness/claimed-turn.ts'
import { withDatabaseRole } from '../../../../testing/harness/database-roles.ts'
import { createTestInstance, operator } from '../../../../testing/harness/test-instance.ts'
import { createDatabase } from '../../database/database.ts'
import { generateKey, hashKey } from '../../keys/key-format.ts'
import { loadMigrateConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { type MetricsServer, startMetrics } from '../../platform/metrics/metrics-server.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { readBacklog, startBacklogMetrics } from './backlog-metrics.ts'

const instance = await createTestInstance(inject('services'), 'backlog-metrics')
const { pool, stores } = instance
const log = createLog('test', { level: 'error' })
const workerPool = createPostgresPool(loadMigrateConfig(withDatabaseRole('worker', instance.environment)).postgres, log)
const database = createDatabase(workerPool)
afterAll(async () => {
  await workerPool.end()
  await instance.drop()
})

let metrics: MetricsServer
beforeEach(async () => {
  metrics = await startMetrics({ listen: { host: '127.0.0.1', port: 0 }, projectLabels: false }, 'worker', log)
})
afterEach(() => metrics.stop())

const readMetric = async (series: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${metrics.port}/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  )
}

test('knows when the instance was last backed up', async () => {
  const backlog = startBacklogMetrics(database, log)
  await expect.poll(() => readMetric('colophon_backlog_last_success_timestamp_seconds')).toBeGreaterThan(0)
  expect(await readMetric('colophon_backup_last_success_timestamp_seconds')).toBeNaN()
  await backlog.stop()
  await pool.query(`INSERT INTO instance_backup_schedule (since) VALUES ('2026-11-18 12:00Z')`)
  const scheduled = startBacklogMetrics(database, log)
  await expect
    .poll(() => readMetric('colophon_backup_last_success_timestamp_seconds'))
    .toBe(Date.parse('2026-11-18T12:00:00Z') / 1000)
  await scheduled.stop()
  await pool.query(
    `INSERT INTO instance_backup (moment, finished_at, storage) VALUES ('2026-11-19 02:00Z', '2026-11-19 02:05Z', 'b')`,
  )
  const later = startBacklogMetrics(database, log)
  await expect
    .poll(() => readMetric('colophon_backup_last_success_timestamp_seconds'))
    .toBe(Date.parse('2026-11-19T02:05:00Z') / 1000)
  await later.stop()
})

test('counts the turns and attempts of projects that are not paused, and since when they wait', async () => {
  const { projectId } = await instance.createProject()
  const { projectId: paused } = await instance.createProject()
  await instance.addModel()
  const runner = await createClaimingRunner(instance, projectId)
  await createQueuedTurn(instance, paused, 'test-model')
  const waiting = await createQueuedTurn(instance, projectId, 'test-model')
  await createQueuedTurn(instance, projectId, 'test-model')
  await stores.pauses.pause(paused, operator)
  await pool.query(`UPDATE turn_attempt SET queued_at = now() - interval '5 minutes' WHERE turn_id = $1`, [
    waiting.turnId,
  ])
  await pool.query(`UPDATE turn SET started_at = now() - interval '10 minutes' WHERE id = $1`, [waiting.turnId])
  const { jobs } = await readBacklog(database)
  expect(jobs).toMatchObject({
    waitingAttempts: { count: 2 },
    claimedAttempts: 0,
    runners: { registered: 1, online: 0 },
  })
  expect(jobs.waitingAttempts.oldestAgeSeconds).toBeCloseTo(300, -1.5)
  expect(jobs.turns.running.count).toBe(2)
  expect(jobs.turns.running.oldestAgeSeconds).toBeCloseTo(600, -1.5)

  const claimed = await stores.attempts.claim(runner, hashKey(generateKey('colophon_attempt_')), testTurnLimits)
  expect(claimed?.turnId).toBe(waiting.turnId)
  const { jobs: after } = await readBacklog(database)
  expect(after).toMatchObject({ waitingAttempts: { count: 1 }, claimedAttempts: 1, runners: { online: 1 } })
  expect(await readMetric('colophon_attempt_queue_wait_seconds_sum')).toBeCloseTo(300, -1.5)

  // A message waits for the running turn on purpose.
  await pool.query(`INSERT INTO turn (project_id, job_id, id, number, prompt, status, created_at)
    SELECT project_id, job_id, 'trn_00000000000000000000000002', 2, 'More.', 'queued', now() FROM turn WHERE id = '${waiting.turnId}'`)
  expect((await readBacklog(database)).jobs.turns.queued).toEqual({ count: 0, oldestAgeSeconds: 0 })
})

test('measures the buffer of page views without quarantined ones', async () => {
  const addBatch = async (minutes: number) =>
    (
      await pool.query<{ id: string }>(
        `INSERT INTO view_batch (shard, month, rows, size_bytes, body, created_at)
         VALUES (0, '2026-11-01', 1, 200, '', now() - make_interval(mins => $1)) RETURNING id`,
        [minutes],
      )
    ).rows[0]?.id
  const quarantined = await addBatch(60)
  await addBatch(5)
  await pool.query(
    `INSERT INTO view_block (shard, id, month, batch_ids, quarantined_at) VALUES (0, 1, '2026-11-01', $1, now())`,
    [[quarantined]],
  )
  const { views } = await readBacklog(database)
  expect(views).toMatchObject({ bytes: 400, waitingBatches: 1, quarantinedBatches: 1 })
  expect(views.oldestAgeSeconds).toBeCloseTo(300, -1.5)
})

test('two workers measure at once, and a failure is visible', async () => {
  const tasks = [startBacklogMetrics(database, log), startBacklogMetrics(database, log)]
  await expect.poll(() => readMetric('colophon_webhook_deliveries_waiting')).toBe(0)
  await Promise.all(tasks.map((task) => task.stop()))
  const lastSuccess = await readMetric('colophon_backlog_last_success_timestamp_seconds')
  expect(Date.now() / 1000 - lastSuccess).toBeLessThan(30)
  await pool.query('ALTER TABLE view_batch RENAME TO view_batch_gone')
  const failing = startBacklogMetrics(database, log)
  await expect.poll(() => readMetric('colophon_turns{status="running"}')).toBeNaN()
  expect(await readMetric('colophon_backlog_last_success_timestamp_seconds')).toBe(lastSuccess)
  expect(await readMetric('colophon_background_failures_total')).toBeGreaterThan(0)
  await failing.stop()
  await pool.query('ALTER TABLE view_batch_gone RENAME TO view_batch')
})
