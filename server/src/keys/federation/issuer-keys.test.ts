import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  createSigningKey,
  discoveryPath,
  type IdTokenIssuer,
  keysPath,
  startIdTokenIssuer,
} from '../../../../testing/simulators/id-token-issuer.ts'
import { createEgress } from '../../platform/egress/egress.ts'
import { IssuerKeys, type IssuerKeysTimes } from './issuer-keys.ts'

async function setup(times: Partial<IssuerKeysTimes> = {}, others: readonly IdTokenIssuer[] = []) {
  const issuer = await startIdTokenIssuer()
  const egress = createEgress({ allowedHosts: [issuer.host, ...others.map(({ host }) => host)] })
  onTestFinished(async () => {
    await egress.close()
    await issuer.stop()
  })
  const keys = new IssuerKeys(egress, times)
  return {
    issuer,
    keys,
    get: (keyId = 'key-1', projectId = 'prj_a' as const) => keys.get(issuer.issuer, keyId, projectId),
  }
}

test('requests the keys once for all who need them, and again when they are old', async () => {
  const { issuer, get } = await setup({ maxAgeSeconds: 0.3, minIntervalSeconds: 0.1 })
  await Promise.all(Array.from({ length: 50 }, () => get()))
  expect(issuer.requests).toEqual([discoveryPath, keysPath])
  await sleep(350)
  issuer.publishedKeys = []
  await expect(get()).rejects.toMatchObject({ reason: 'signing_key_unknown' })
})

test('finds a new key after a rotation, but does not request keys for every token with an unknown one', async () => {
  const { issuer, get } = await setup({ minIntervalSeconds: 0.3 })
  await get()
  for (let i = 0; i < 20; i++) await expect(get(`unknown-${i}`)).rejects.toMatchObject({ retryAfterSeconds: 1 })
  expect(issuer.requests).toHaveLength(2)
  issuer.publishedKeys = [(await createSigningKey('key-2')).jwk]
  await get() // the old one is still accepted, until the next request
  await sleep(350)
  await get('key-2')
  await expect(get('key-1')).rejects.toThrow()
})

test('uses the known keys while the issuer fails', async () => {
  const { issuer, get } = await setup({ minIntervalSeconds: 0, retrySeconds: 0 })
  await get()
  issuer.responses.set(discoveryPath, (_request, response) => response.writeHead(500).end())
  await expect(get('key-2')).rejects.toThrow('status 500')
  await get()
})

test('does not try again at once after a failure', async () => {
  const { issuer, get } = await setup({ retrySeconds: 60 })
  issuer.responses.set(discoveryPath, (_request, response) => response.writeHead(500).end())
  for (let i = 0; i < 10; i++) await expect(get()).rejects.toThrow()
  expect(issuer.requests).toHaveLength(1)
})

const respondWith = (body: unknown) => (_request: unknown, response: { end(text: string): unknown }) =>
  response.end(typeof body === 'string' ? body : JSON.stringify(body))

test.each<[string, (issuer: IdTokenIssuer, other: IdTokenIssuer) => void]>([
  ['is not JSON', ({ responses }) => responses.set(discoveryPath, respondWith('<html>'))],
  ['is a list', ({ responses }) => responses.set(discoveryPath, respondWith([]))],
  [
    'names another issuer',
    ({ responses, issuer }, other) =>
      responses.set(discoveryPath, respondWith({ issuer: other.issuer, jwks_uri: issuer + keysPath })),
  ],
  [
    'names itself with a slash',
    ({ responses, issuer }) =>
      responses.set(discoveryPath, respondWith({ issuer: `${issuer}/`, jwks_uri: issuer + keysPath })),
  ],
  ['has no URL of keys', ({ responses, issuer }) => responses.set(discoveryPath, respondWith({ issuer }))],
  [
    'sends the URL of a file',
    ({ responses, issuer }) => responses.set(discoveryPath, respondWith({ issuer, jwks_uri: 'file:///etc/passwd' })),
  ],
  [
    'sends the URL of another internal host',
    ({ responses, issuer }, other) =>
      responses.set(discoveryPath, respondWith({ issuer, jwks_uri: other.issuer + keysPath })),
  ],
  [
    'redirects to its keys',
    ({ responses }, other) =>
      responses.set(keysPath, (_request, response) =>
        response.writeHead(302, { location: other.issuer + keysPath }).end(),
      ),
  ],
  [
    'sends a huge response',
    ({ responses }) => responses.set(keysPath, respondWith(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)),
  ],
  ['sends too many keys', ({ responses }) => responses.set(keysPath, respondWith({ keys: Array(101).fill({}) }))],
  ['is silent', ({ responses }) => responses.set(keysPath, () => {})],
  [
    'sends a byte at a time',
    ({ responses }) =>
      responses.set(keysPath, (_request, response) => {
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      }),
  ],
])('fails in time if the issuer %s', async (_name, misbehave) => {
  const other = await startIdTokenIssuer()
  onTestFinished(() => other.stop())
  const { issuer, get } = await setup({ timeoutSeconds: 0.5 }, [other])
  misbehave(issuer, other)
  const startMs = performance.now()
  await expect(get()).rejects.toMatchObject({ name: 'IssuerUnavailableError' })
  expect(performance.now() - startMs).toBeLessThan(10_000)
  expect(other.requests).toEqual([])
})

test.each<[string, object]>([
  ['symmetric keys', { kty: 'oct', kid: 'key-1', k: 'c2VjcmV0' }],
  ['keys without an ID', { kty: 'RSA', n: 'AQAB', e: 'AQAB' }],
  ['keys whose ID is not a text', { kty: 'RSA', kid: ['key-1'], n: 'AQAB', e: 'AQAB' }],
])('ignores %s', async (_name, key) => {
  const { issuer, get } = await setup()
  issuer.publishedKeys = [key]
  await expect(get()).rejects.toMatchObject({ reason: 'signing_key_unknown' })
})

test('a project that waits for silent issuers does not delay another project', async () => {
  const silent = await Promise.all(Array.from({ length: 6 }, () => startIdTokenIssuer()))
  onTestFinished(async () => void (await Promise.all(silent.map((one) => one.stop()))))
  for (const { responses } of silent) responses.set(discoveryPath, () => {})
  const { keys, get } = await setup({ timeoutSeconds: 2 }, silent)
  const waiting = silent.map(({ issuer }) => keys.get(issuer, 'key-1', 'prj_slow').catch((error: Error) => error.name))
  const ownWait = get('key-1', 'prj_slow' as 'prj_a').catch((error: Error) => error.name)
  const startMs = performance.now()
  await get()
  expect(performance.now() - startMs).toBeLessThan(1_000)
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['IssuerUnavailableError']))
  await ownWait
})
