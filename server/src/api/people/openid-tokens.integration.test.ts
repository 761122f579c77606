/** What Colophon requires of the ID token, with a provider that issues any token that a test asks for. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, inject, test } from 'vitest'
import { PageBrowser } from '../../../../testing/harness/page-browser.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'

type Json = Readonly<Record<string, unknown>>

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const otherKeys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const user = { sub: 'reader', email: 'reader@example.com', email_verified: true, name: 'Reader' }

let tokens: Json = {}
const provider = createServer((request, response) => {
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  }
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }
  const bodies: Readonly<Record<string, Json>> = {
    '/.well-known/openid-configuration': metadata,
    '/keys': { keys: [jwk] },
    '/token': { access_token: 'an access token', token_type: 'Bearer', ...tokens },
    '/userinfo': { ...user, amr: ['mfa'] },
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodies[request.url ?? ''] ?? {}))
})
provider.listen(0, '127.0.0.1')
await once(provider, 'listening')
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

const port = await freePort()
const origin = `http://localhost:${port}`
const api = await startTestApi(inject('services'), 'api openid tokens', {
  COLOPHON_LISTEN: `127.0.0.1:${port}`,
  COLOPHON_OIDC_ISSUER: issuer,
  COLOPHON_OIDC_CLIENT_ID: 'colophon',
  COLOPHON_OIDC_CLIENT_SECRET: 'secret',
  COLOPHON_OIDC_SECOND_FACTOR_VALUES: 'mfa, urn:example:strong',
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await api.drop()
})
const { projectId } = await api.createProject()
await api.stores.invitations.create(projectId, { email: user.email, role: 'viewer' }, { kind: 'operator' })

const encode = (part: Json) => Buffer.from(JSON.stringify(part)).toString('base64url')

function signToken(claims: Json, header: Json = {}, key: KeyObject = keys.privateKey): string {
  const signed = `${encode({ alg: 'RS256', typ: 'JWT', kid: 'first', ...header })}.${encode(claims)}`
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`
}

/** As an attacker who knows the public key would sign it. */
function signWithPublicKey(claims: Json): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'first' })}.${encode(claims)}`
  const secret = keys.publicKey.export({ format: 'pem', type: 'spki' })
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** Returns where the sign-in ends, and who is signed in then. */
async function signIn(respond: (valid: Json) => Json) {
  const browser = new PageBrowser(origin)
  const { url } = await browser.json('POST', '/v2/session/provider', { purpose: 'sign_in', returnTo: '/' })
  const { searchParams } = new URL(String(url))
  const nowSeconds = Math.floor(Date.now() / 1000)
  tokens = respond({
    ...user,
    iss: issuer,
    aud: 'colophon',
    iat: nowSeconds,
    exp: nowSeconds + 300,
    nonce: searchParams.get('nonce'),
    amr: ['pwd', 'mfa'],
  })
  const state = encodeURIComponent(searchParams.get('state') ?? '')
  const { location } = await browser.go(`${origin}/v2/auth/callback/oidc?code=any&state=${state}`)
  const { person } = await browser.json('GET', '/v2/session')
  return { location, person }
}

test('sends a state, a nonce and a PKCE challenge that differ each time, and only host cookies', async () => {
  const start = async () => {
    const response = await fetch(`${origin}/v2/session/provider`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ purpose: 'sign_in', returnTo: '/' }),
    })
    const { url } = (await response.json()) as { url: string }
    return { parameters: new URL(url).searchParams, cookies: response.headers.getSetCookie() }
  }
  const first = await start()
  const second = await start()
  expect(first.parameters.get('code_challenge_method')).toBe('S256')
  expect(first.parameters.get('response_type')).toBe('code')
  for (const name of ['state', 'nonce', 'code_challenge']) {
    expect(first.parameters.get(name)?.length, name).toBeGreaterThanOrEqual(22)
    expect(first.parameters.get(name), name).not.toBe(second.parameters.get(name))
  }
  expect(first.cookies.length).toBeGreaterThan(0)
  for (const cookie of first.cookies) {
    expect(cookie).toMatch(/^__Host-/)
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute)
  }
})

test('accepts a valid ID token', async () => {
  expect(await signIn((valid) => ({ id_token: signToken(valid) }))).toMatchObject({
    location: `${origin}/`,
    person: { email: user.email },
  })
  const withAcr = (valid: Json) => ({ id_token: signToken({ ...valid, amr: undefined, acr: 'urn:example:strong' }) })
  expect(await signIn(withAcr)).toMatchObject({ person: { email: user.email } })
})

const hourAgo = Math.floor(Date.now() / 1000) - 3600
test.each<[name: string, respond: (valid: Json) => Json]>([
  ['is missing', () => ({})],
  ['is not signed', (valid) => ({ id_token: `${encode({ alg: 'none', typ: 'JWT' })}.${encode(valid)}.` })],
  ['is signed with another key', (valid) => ({ id_token: signToken(valid, {}, otherKeys.privateKey) })],
  ['is signed with the public key as a shared secret', (valid) => ({ id_token: signWithPublicKey(valid) })],
  [
    'brings its own key',
    (valid) => ({
      id_token: signToken(valid, { jwk: otherKeys.publicKey.export({ format: 'jwk' }) }, otherKeys.privateKey),
    }),
  ],
  ['has expired', (valid) => ({ id_token: signToken({ ...valid, exp: hourAgo }) })],
  ['is not valid yet', (valid) => ({ id_token: signToken({ ...valid, nbf: Number(valid.iat) + 3600 }) })],
  ['is for another client', (valid) => ({ id_token: signToken({ ...valid, aud: 'other' }) })],
  ['is from another issuer', (valid) => ({ id_token: signToken({ ...valid, iss: 'https://login.example.com' }) })],
  ['belongs to another sign-in', (valid) => ({ id_token: signToken({ ...valid, nonce: 'another' }) })],
  ['has no nonce', (valid) => ({ id_token: signToken({ ...valid, nonce: undefined }) })],
  ['says nothing about a second factor', (valid) => ({ id_token: signToken({ ...valid, amr: ['pwd'] }) })],
])('rejects an ID token that %s', async (_name, respond) => {
  const { location, person } = await signIn(respond)
  expect(location).toContain('/sign-in?error=')
  expect(person).toBeNull()
})
