/** Jobs whose workflow is stuck, and workflows whose job is gone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance, operator } from '../../../testing/harness/test-instance.ts'
import { startTestRunner } from '../../../testing/harness/test-runner.ts'
import { startTestWorker } from '../../../testing/harness/test-worker.ts'
import type { Job } from '../jobs/job.ts'
import { loadMigrateConfig } from '../platform/config.ts'
import { type Id, newId } from '../platform/ids.ts'

const instance = await createTestInstance(inject('services'), 'stalled-jobs')
const worker = await startTestWorker(instance, { COLOPHON_JOB_STALL_SECONDS: '1' })
const { address, namespace } = loadMigrateConfig(instance.environment).temporal
const connection = await Connection.connect({ address })
const temporal = new Client({ connection, namespace })
const runner = startTestRunner(worker.gatewayUrl, worker.runnerToken, async () => {
  const texts = { title: 'A title', summary: null, reply: 'Done.' }
  return { kind: 'result', baseCommit: 'a'.repeat(40), bundle: null, session: null, ...texts, checks: [] }
})
afterAll(async () => {
  await runner.stop()
  await worker.stop()
  await connection.close()
  await instance.drop()
})

async function createJob(projectId: Id<'prj'>): Promise<Id<'job'>> {
  const defaults = { repository: 'docs', ref: 'main', model: 'default', title: null, draft: false, topic: null }
  const input = { ...defaults, prompt: 'Work.', publish: 'pull_request', metadata: {} } as const
  const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const
  return (await instance.stores.jobs.create(projectId, input, request)).body.id
}

test('a job whose workflow is stuck is continued by a new workflow', { timeout: 60_000 }, async () => {
  const { projectId } = await instance.createProject()
  const jobId = await createJob(projectId)
  // No worker polls this task queue, so the workflow accepts signals and does nothing.
  await temporal.workflow.start('runAgentJob', { workflowId: jobId, taskQueue: 'nobody', args: [jobId] })
  while ((await instance.stores.jobs.get(projectId, jobId)).status === 'active') await sleep(200)
  expect(await instance.stores.jobs.get(projectId, jobId)).toMatchObject({ status: 'completed', error: null })
})

test('a workflow ends when PostgreSQL has lost its job', { timeout: 60_000 }, async () => {
  const missing = newId('job')
  await worker.signals.startJob(missing)
  await temporal.workflow.getHandle(missing).result()

  const { projectId } = await instance.createProject()
  const jobId = await createJob(projectId)
  await instance.stores.pauses.pause(projectId, operator) // so that no runner claims it
  await worker.signals.startJob(jobId)
  const isQueued = async () => {
    const { rows } = await instance.pool.query(
      'SELECT FROM turn_attempt JOIN turn ON turn.id = turn_id WHERE job_id = $1',
      [jobId],
    )
    return rows.length
  }
  await expect.poll(isQueued).toBe(1)
  await instance.pool.query('DELETE FROM job WHERE id = $1', [jobId])
  await temporal.workflow.getHandle(jobId).result()
})
