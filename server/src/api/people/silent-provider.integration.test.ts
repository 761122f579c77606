/** A provider that accepts requests and never responds: signing in with it fails with an error after a timeout. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'

let isSilent = true
const provider = createServer((_request, response) => void (isSilent || response.writeHead(500).end()))
provider.listen(0, '127.0.0.1')
await once(provider, 'listening')
const port = await freePort()
const origin = `http://localhost:${port}`
const api = await startTestApi(inject('services'), 'api silent provider', {
  COLOPHON_LISTEN: `127.0.0.1:${port}`,
  COLOPHON_OIDC_ISSUER: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  COLOPHON_OIDC_NAME: 'Silence',
  COLOPHON_OIDC_CLIENT_ID: 'colophon',
  COLOPHON_OIDC_CLIENT_SECRET: 'secret',
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await api.drop()
})

const startSignIn = async () => {
  const response = await fetch(`${origin}/v2/session/provider`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ purpose: 'sign_in', returnTo: '/' }),
  })
  return { status: response.status, body: (await response.json()) as { code: string } }
}

test('gives up on a silent provider after 10 seconds, and tries again at the next sign-in', {
  timeout: 40_000,
}, async () => {
  const startedAt = performance.now()
  const [first, second] = await Promise.all([startSignIn(), startSignIn()])
  const seconds = (performance.now() - startedAt) / 1000
  expect([first, second]).toMatchObject(Array(2).fill({ status: 503, body: { code: 'unavailable' } }))
  expect(seconds).toBeGreaterThan(9)
  expect(seconds).toBeLessThan(19)
  isSilent = false
  const restartedAt = performance.now()
  expect(await startSignIn(), 'the provider responds with an error').toMatchObject({ status: 503 })
  expect(performance.now() - restartedAt).toBeLessThan(8_000)
})
