import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'instance status')
afterAll(() => api.drop())

test('shows an operator the services, the queues and what to look at', async () => {
  const { projectId } = await api.createProject()
  await api.stores.jobs.create(
    projectId,
    {
      repository: 'docs/site',
      ref: 'main',
      model: 'default',
      title: null,
      draft: false,
      topic: null,
      prompt: 'Do it.',
      publish: 'pull_request',
      metadata: {},
    },
    { actor: { kind: 'operator' }, idempotency: undefined, present: (job) => job },
  )
  const operator = await api.signInOperator()
  const status = await operator.client.instance.status()
  const ok = { status: 'ok', latencyMs: expect.any(Number) }
  const version = expect.stringMatching(/^\d+\.\d+/)
  expect(status).toMatchObject({
    version: expect.any(String),
    services: {
      postgres: { component: ok, version, usedBytes: expect.any(Number), freeBytes: null },
      temporal: { component: ok, version, usedBytes: null },
      clickhouse: { component: ok, version, freeBytes: expect.any(Number) },
    },
    queues: {
      turns: { queued: { count: 1 }, running: { count: 0 } },
      waitingAttempts: { count: 0 },
      runners: { registered: 0, online: 0 },
      views: { waitingBytes: 0, deliveryIdBytes: expect.any(Number), maxBytes: 1024 ** 3, quarantinedBatches: 0 },
    },
  })
  expect(status.lastBackup).toBeNull()
  const again = await operator.client.instance.status()
  expect(again.readAt).toBe(status.readAt)
})
