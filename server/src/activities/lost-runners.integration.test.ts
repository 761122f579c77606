/** Turns that no runner claims, and turns that are lost with their runners, on real PostgreSQL and Temporal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { allowOlderVersion, finishUpgrade } from '../../../testing/harness/older-version.ts'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { shortTimers, startTestWorker } from '../../../testing/harness/test-worker.ts'
import { freePort } from '../../../testing/services/free-port.ts'
import type { Job } from '../jobs/job.ts'
import { startWorker } from '../main/processes/worker.ts'
import { loadWorkerConfig } from '../platform/config.ts'
import type { Id } from '../platform/ids.ts'
import type { ClaimedTurn } from '../runner-wire/runner-wire.ts'

const instance = await createTestInstance(inject('services'), 'lost-runners')
const worker = await startTestWorker(instance, { COLOPHON_JOB_QUEUE_TIMEOUT_SECONDS: '6' })
const connection = await Connection.connect({ address: inject('services').temporalAddress })
const temporal = new Client({ connection, namespace: instance.environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })
afterAll(async () => {
  await connection.close()
  await worker.stop()
  await instance.drop()
})

async function createJob(projectId: Id<'prj'>): Promise<Id<'job'>> {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt: 'Work.', publish: 'pull_request', metadata: {} } as const
  const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const
  const { body } = await instance.stores.jobs.create(projectId, input, request)
  await worker.signals.startJob(body.id)
  return body.id
}

const readJob = (projectId: Id<'prj'>, jobId: Id<'job'>) => instance.stores.jobs.get(projectId, jobId)

async function claim(processId?: string): Promise<ClaimedTurn | undefined> {
  const response = await fetch(`${worker.gatewayUrl}/runner/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${worker.runnerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ waitSeconds: 0, processId }),
  })
  return response.status === 200 ? ((await response.json()) as ClaimedTurn) : undefined
}

async function sendHeartbeat({ attemptToken }: ClaimedTurn): Promise<void> {
  const response = await fetch(`${worker.gatewayUrl}/runner/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attemptToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ firstIndex: 0, events: [] }),
  })
  expect(response.status).toBe(200)
}

test('a turn that no runner claims fails after the queue timeout, though its worker is alive', async () => {
  const { projectId } = await instance.createProject()
  const jobId = await createJob(projectId)
  await expect
    .poll(() => readJob(projectId, jobId), { timeout: 15_000 })
    .toMatchObject({ status: 'failed', error: { code: 'no_runner_available' } })
})

test('a turn that is lost with three runners fails, and shares none of them with another turn', async () => {
  const { projectId } = await instance.createProject()
  const jobId = await createJob(projectId)
  const claims: string[] = []
  while ((await readJob(projectId, jobId)).status === 'active') {
    const processId = `process-${claims.length + 1}`
    if (await claim(processId)) claims.push(processId) // and nothing is heard of it again
    await sleep(100)
  }
  expect(await readJob(projectId, jobId)).toMatchObject({ status: 'failed', error: { code: 'runner_lost' } })
  expect(claims).toEqual(['process-1', 'process-2', 'process-3'])
})

test('a turn that waits for a runner keeps waiting when its worker stops', { timeout: 60_000 }, async () => {
  const another = await createTestInstance(inject('services'), 'waiting-turns')
  const first = await startTestWorker(another)
  const { projectId } = await another.createProject()
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt: 'Work.', publish: 'pull_request', metadata: {} } as const
  const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const
  const { body: job } = await another.stores.jobs.create(projectId, input, request)
  await first.signals.startJob(job.id)
  const countAttempts = async () => (await another.pool.query('SELECT FROM turn_attempt')).rows.length
  await expect.poll(countAttempts, { timeout: 15_000 }).toBe(1)
  await first.stop()
  const listen = `127.0.0.1:${await freePort()}`
  const environment = { ...another.environment, ...shortTimers, COLOPHON_GATEWAY_LISTEN: listen }
  const second = await startWorker(loadWorkerConfig({ ...environment, COLOPHON_LOG_LEVEL: 'error' }))
  await sleep(10_000) // three heartbeat timeouts
  expect(await countAttempts()).toBe(1)
  await second.stop()
  await another.drop()
})

test('while workers of 0.1.0 may run, Temporal hears each heartbeat, and decides when a runner is lost', {
  timeout: 60_000,
}, async () => {
  await allowOlderVersion(instance)
  onTestFinished(async () => void (await finishUpgrade(instance)))
  const { projectId } = await instance.createProject()
  await createJob(projectId)
  const claimWhenQueued = async () => {
    for (;;) {
      const turn = await claim()
      if (turn) return turn
      await sleep(100)
    }
  }
  const turn = await claimWhenQueued()
  expect(turn.docsFolder).toBe('') // which runners of 0.1.0 need
  // The gateway of the other version hears the runner: nothing is recorded here.
  await instance.pool.query("UPDATE turn_attempt SET heard_at = clock_timestamp() - interval '1 hour'")
  const { task_token: taskToken } = (
    await instance.pool.query('SELECT task_token FROM turn_attempt WHERE ended_at IS NULL')
  ).rows[0]
  for (let second = 0; second < 8; second++) {
    await temporal.activity.heartbeat(taskToken)
    await sleep(1_000)
  }
  const countAttempts = async () =>
    (await instance.pool.query('SELECT FROM turn_attempt WHERE turn_id = $1', [turn.turnId])).rows.length
  expect(await countAttempts()).toBe(1)
  // This gateway hears it, and tells Temporal.
  for (let second = 0; second < 6; second++) {
    await sendHeartbeat(turn)
    await sleep(1_000)
  }
  expect(await countAttempts()).toBe(1)
  // Nobody hears it.
  await expect.poll(countAttempts, { timeout: 20_000 }).toBe(2)
})
