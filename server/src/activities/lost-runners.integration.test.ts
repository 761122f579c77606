/** Turns that no runner claims, and turns that are lost with their runners, on real PostgreSQL and Temporal. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
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
afterAll(async () => {
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

async function claim(processId: string): Promise<ClaimedTurn | undefined> {
  const response = await fetch(`${worker.gatewayUrl}/runner/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${worker.runnerToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ waitSeconds: 0, processId }),
  })
  return response.status === 200 ? ((await response.json()) as ClaimedTurn) : undefined
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
