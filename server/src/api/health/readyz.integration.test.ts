import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { version } from '../../platform/version.ts'

const api = await startTestApi(inject('services'), 'api health')
afterAll(() => api.drop())

const anonymous = api.clientWith()

test('reports liveness and the status of each component without authentication', async () => {
  expect(await anonymous.health()).toEqual({ status: 'alive', version })
  const ok = { status: 'ok', latencyMs: expect.any(Number) }
  expect(await anonymous.readiness()).toEqual({
    status: 'ready',
    version,
    newerVersion: null,
    warnings: [],
    components: { postgres: ok, temporal: ok, clickhouse: ok },
  })
})

test('the response is not cached', async () => {
  const response = await fetch(`${api.url}/readyz`)
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
})
