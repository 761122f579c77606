import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { version } from '../../platform/version.ts'

const api = await startRunningApi(inject('services'), 'api health')
afterAll(() => api.drop())

const anybody = api.clientWith()

test('anybody is told that the process is alive and what works', async () => {
  expect(await anybody.health()).toEqual({ status: 'alive', version })
  const works = { status: 'ok', latencyMs: expect.any(Number) }
  expect(await anybody.readiness()).toEqual({
    status: 'ready',
    version,
    components: { postgres: works, temporal: works, clickhouse: works },
  })
})

test('the answer is kept by nobody on the way', async () => {
  const response = await fetch(`${api.url}/readyz`)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
})
