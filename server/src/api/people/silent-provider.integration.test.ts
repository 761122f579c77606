/** A provider that does not respond, or responds for another one: signing in with it fails with an error. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'

let respond: (response: ServerResponse) => void = () => {}
const provider = createServer((_request, response) => respond(response))
provider.listen(0, '127.0.0.1')
await once(provider, 'listening')
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
const port = await freePort()
const origin = `http://localhost:${port}`
const api = await startTestApi(inject('services'), 'api silent provider', {
  COLOPHON_LISTEN: `127.0.0.1:${port}`,
  COLOPHON_OIDC_ISSUER: issuer,
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
  return { status: response.status, body: (await response.json()) as Record<string, string> }
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
  respond = (response) => void response.writeHead(500).end()
  const restartedAt = performance.now()
  expect(await startSignIn(), 'the provider responds with an error').toMatchObject({ status: 503 })
  expect(performance.now() - restartedAt).toBeLessThan(8_000)
})

test('accepts only a provider that names the configured issuer', async () => {
  const respondAs = (named: string) => {
    const metadata = {
      issuer: named,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['RS256'],
    }
    respond = (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata))
  }
  respondAs('https://login.example.com')
  expect(await startSignIn()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  respondAs(`${issuer}/`)
  expect(await startSignIn()).toMatchObject({ status: 200, body: { url: expect.stringContaining(issuer) } })
})
