import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { startTestWorker } from '../../../../testing/harness/test-worker.ts'
import type { Model } from '../../models/model.ts'

const { modelUrl } = inject('services')
const api = await startTestApi(inject('services'), 'api model tests')
const jobs = await startTestWorker(api)
afterAll(async () => {
  await jobs.stop()
  await api.drop()
})

const { projectId, client } = await api.createProject()
const { projectId: others } = await api.createProject()
const model: Model = {
  name: 'vendor/works',
  format: 'anthropic-messages',
  baseUrl: `${modelUrl}/v1`,
  providerModel: 'answer',
  contextWindowTokens: 200_000,
  maxOutputTokens: 64_000,
  projectIds: null,
  isDefault: false,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
}

await api.addModel(model, 'sk-secret')
await api.addModel({ ...model, name: 'theirs', projectIds: [others] }, 'sk-secret')

test('tests a stored model through the worker, which can open its key', async () => {
  const result = await client.jobs.testModel(projectId, { model: 'vendor/works' })
  expect(result).toEqual({ ok: true, message: expect.any(String), latencyMs: expect.any(Number) })
  expect(await client.jobs.testModel(projectId, { model: 'default' }), 'there is no default model').toMatchObject({
    ok: false,
  })
  expect(await client.jobs.testModel(projectId, { model: 'theirs' })).toMatchObject({
    ok: false,
    message: 'The project has no model named theirs.',
  })
}, 60_000)

test('limits a project to ten tests per minute', async () => {
  const { projectId: eager, client: theirs } = await api.createProject()
  const tests = Array.from({ length: 12 }, () => theirs.jobs.testModel(eager, { model: 'none' }))
  const codes = (await Promise.allSettled(tests)).map((result) =>
    result.status === 'rejected' ? result.reason.code : 'tested',
  )
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(2)
}, 60_000)

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'agent:write'))
    await expect(client.jobs.testModel(projectId, { model: 'default' }), caller).rejects.toMatchObject({ code })
})

test('fails immediately without a worker', async () => {
  const alone = await startTestApi(inject('services'), 'api model tests alone')
  try {
    const { projectId, client } = await alone.createProject()
    expect(await client.jobs.testModel(projectId, { model: 'default' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('`worker`'),
    })
  } finally {
    await alone.drop()
  }
})
