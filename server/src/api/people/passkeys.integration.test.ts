/** Passkeys: adding them, signing in with them, and everything that must not sign in. */
import { afterAll, beforeEach, expect, inject, test } from 'vitest'
import type { PasskeyCreationOptions, PasskeyRequestOptions } from '../../../../sdk/src/index.ts'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import {
  type AuthenticatorUse,
  createSoftwareAuthenticator,
} from '../../../../testing/harness/software-authenticator.ts'
import { type SignedInClient, startTestApi, type TestApi } from '../../../../testing/harness/test-api.ts'
import { totpCode } from '../../../../testing/harness/totp.ts'

const api = await startTestApi(inject('services'), 'api passkeys')
const strictApi = await startTestApi(inject('services'), 'api strict passkeys', {
  COLOPHON_REQUIRE_SECOND_FACTOR: 'true',
})
afterAll(async () => {
  await api.drop()
  await strictApi.drop()
})
beforeEach(() => api.pool.query('DELETE FROM sign_in_counter'))

const originOf = ({ url }: TestApi) => url.replace('127.0.0.1', 'localhost')
const browser = (on = api) => createBrowserClient(on.url, originOf(on))

type Fault = Partial<AuthenticatorUse>

/** As used in a browser on the dashboard, unless the fault says otherwise. */
function authenticator(on = api) {
  const passkey = createSoftwareAuthenticator()
  const origin = originOf(on)
  return {
    create: (options: PasskeyCreationOptions, fault: Fault = {}) => passkey.create(options, { origin, ...fault }),
    get: (options: PasskeyRequestOptions, fault: Fault = {}) => passkey.get(options, { origin, ...fault }),
  }
}

type Authenticator = ReturnType<typeof authenticator>

async function add(
  { client }: Pick<SignedInClient, 'client'>,
  passkey: Authenticator,
  { name = 'Laptop', fault = {} }: { name?: string; fault?: Fault } = {},
) {
  const options = await client.session.startPasskey()
  return client.session.addPasskey({ name, credential: passkey.create(options, fault) })
}

async function signIn(
  passkey: Authenticator,
  fault: Fault = {},
  { client }: Pick<SignedInClient, 'client'> = browser(),
) {
  const options = await client.session.startPasskeySignIn()
  return client.session.signInWithPasskey(passkey.get(options, fault))
}

const notAccepted = { code: 'unauthenticated', detail: expect.stringContaining('passkey was not accepted') }

test('a passkey signs in, counts as a recent sign-in, and is listed with its last use', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  const { recoveryCodes } = await add(person, passkey)
  expect(recoveryCodes).toHaveLength(10)
  expect(await person.client.session.get()).toMatchObject({
    person: { hasSecondFactor: true },
    secondFactors: ['passkey'],
  })
  expect(await person.client.session.listPasskeys()).toMatchObject({ passkeys: [{ name: 'Laptop', lastUsedAt: null }] })
  const later = browser()
  const session = await signIn(passkey, {}, later)
  expect(session).toMatchObject({ person: { email: person.email }, needsSecondFactor: false })
  expect(new Date(session.recentlyAuthenticatedUntil ?? 0).getTime()).toBeGreaterThan(Date.now() + 9 * 60_000)
  const { passkeys } = await later.client.session.listPasskeys()
  expect(Date.now() - new Date(passkeys[0]?.lastUsedAt ?? 0).getTime()).toBeLessThan(60_000)
  expect(later.setCookies.filter((line) => line.startsWith('__Host-colophon_passkey='))).toEqual([
    expect.stringMatching(/HttpOnly; Secure; SameSite=Strict$/),
    expect.stringContaining('Max-Age=0'),
  ])
  const { rows } = await api.pool.query(
    "SELECT sign_in_method, ip_address FROM person_session WHERE person_id = $1 AND sign_in_method = 'passkey'",
    [session.person?.id],
  )
  expect(rows).toEqual([{ sign_in_method: 'passkey', ip_address: '127.0.0.0/24' }])
})

test.each<[string, Fault]>([
  ['without user verification', { skipsUserVerification: true }],
  ['on another origin', { origin: 'https://evil.example' }],
  ['on another port of the same host', { origin: 'http://localhost:1' }],
  ['for another host', { rpId: 'evil.example' }],
  ['for another challenge', { challenge: 'p1rQ8m2sVt5wXy7zA0bC3dE6fG9hJkLnOqRsTuVwXyZ' }],
])('a passkey that is used %s is neither added nor accepted', async (_, fault) => {
  const person = await api.signIn()
  const passkey = authenticator()
  await expect(add(person, passkey, { fault })).rejects.toMatchObject({ code: 'invalid_request' })
  expect(await person.client.session.listPasskeys()).toEqual({ passkeys: [] })
  expect(await person.client.session.get()).toMatchObject({ person: { hasSecondFactor: false } })
  await add(person, passkey)
  await expect(signIn(passkey, fault)).rejects.toMatchObject(notAccepted)
  expect(await signIn(passkey)).toMatchObject({ person: { email: person.email } })
})

test('a challenge works once, in the browser that got it, and for what it was created for', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  const first = browser()
  const options = await first.client.session.startPasskeySignIn()
  const challengeCookie = first.cookies.get('__Host-colophon_passkey') ?? ''
  const signed = passkey.get(options)
  const other = browser()
  await other.client.session.startPasskeySignIn()
  await expect(other.client.session.signInWithPasskey(signed), 'another browser').rejects.toMatchObject(notAccepted)
  expect(await first.client.session.signInWithPasskey(signed)).toMatchObject({ person: { email: person.email } })
  const replayed = await fetch(`${api.url}/v2/session/passkey`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: originOf(api),
      cookie: `__Host-colophon_passkey=${challengeCookie}`,
    },
    body: JSON.stringify(signed),
  })
  expect(replayed.status, 'replayed with its cookie').toBe(401)

  const creation = await person.client.session.startPasskey()
  const misused = passkey.get({ ...options, challenge: creation.challenge })
  await expect(person.client.session.signInWithPasskey(misused), 'a challenge for adding').rejects.toMatchObject(
    notAccepted,
  )
  const expired = browser()
  const expiredOptions = await expired.client.session.startPasskeySignIn()
  await api.pool.query('UPDATE passkey_challenge SET expires_at = now()')
  await expect(expired.client.session.signInWithPasskey(passkey.get(expiredOptions))).rejects.toMatchObject(notAccepted)
})

test('a failed attempt uses the challenge up', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  const { client } = browser()
  const options = await client.session.startPasskeySignIn()
  await expect(
    client.session.signInWithPasskey(passkey.get(options, { skipsUserVerification: true })),
  ).rejects.toMatchObject(notAccepted)
  await expect(client.session.signInWithPasskey(passkey.get(options))).rejects.toMatchObject(notAccepted)
})

test('a copied authenticator, and a passkey that names another person, are not accepted', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  await signIn(passkey, { counter: 7 })
  for (const counter of [7, 6, 0]) await expect(signIn(passkey, { counter })).rejects.toMatchObject(notAccepted)
  const { client } = browser()
  const signed = passkey.get(await client.session.startPasskeySignIn(), { counter: 8 })
  const userHandle = Buffer.from('per_01m7ehpvk8eg2t3q9d4x5w0r7a').toString('base64url')
  await expect(
    client.session.signInWithPasskey({ ...signed, response: { ...signed.response, userHandle } }),
  ).rejects.toMatchObject(notAccepted)
})

test('who is signed in can sign in again only with their own passkey', async () => {
  const person = await api.signIn()
  const another = await api.signIn()
  const own = authenticator()
  const foreign = authenticator()
  await add(person, own)
  await add(another, foreign)
  await api.pool.query(`UPDATE person_session SET created_at = now() - interval '11 minutes'`)
  await expect(person.client.session.startPasskey()).rejects.toMatchObject({ code: 'reauthentication_required' })
  const options = await person.client.session.startPasskeySignIn()
  expect(options.allowCredentials).toHaveLength(1)
  await expect(person.client.session.signInWithPasskey(foreign.get(options))).rejects.toMatchObject(notAccepted)
  await signIn(own, {}, person)
  expect(await person.client.session.startPasskey()).toMatchObject({ excludeCredentials: [{ type: 'public-key' }] })
})

test('a removed passkey stops working at once, and so do the other sessions', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  const { passkey: added } = await add(person, passkey)
  const elsewhere = browser()
  await signIn(passkey, {}, elsewhere)
  const stranger = await api.signIn()
  await stranger.client.session.removePasskey(added.id)
  expect((await elsewhere.client.session.get()).person, 'of another person').not.toBeNull()
  await api.pool.query(`UPDATE person_session SET created_at = now() - interval '11 minutes'`)
  await expect(person.client.session.removePasskey(added.id)).rejects.toMatchObject({
    code: 'reauthentication_required',
  })
  await api.pool.query('UPDATE person_session SET created_at = now()')
  expect(await person.client.session.removePasskey(added.id)).toEqual({ passkeys: [] })
  expect(await person.client.session.removePasskey(added.id), 'again').toEqual({ passkeys: [] })
  await expect(signIn(passkey)).rejects.toMatchObject(notAccepted)
  expect((await elsewhere.client.session.get()).person).toBeNull()
  expect(await person.client.session.get()).toMatchObject({ person: { hasSecondFactor: false }, secondFactors: [] })
  expect(await browser().client.session.signIn(person.login)).toMatchObject({ needsSecondFactor: false })
})

test('after the password, a passkey or a recovery code is needed, and a code of an app is not accepted', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  const { recoveryCodes } = await add(person, passkey)
  const later = browser()
  expect(await later.client.session.signIn(person.login)).toMatchObject({
    person: null,
    needsSecondFactor: true,
    secondFactors: ['passkey'],
  })
  await expect(later.client.projects.list()).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(later.client.session.verifySecondFactor({ code: '123456' })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('no authenticator app'),
  })
  expect(await signIn(passkey, {}, later)).toMatchObject({ person: { email: person.email } })
  const lost = browser()
  await lost.client.session.signIn(person.login)
  expect(await lost.client.session.verifySecondFactor({ code: recoveryCodes[0] ?? '' })).toMatchObject({
    person: { email: person.email },
  })
  const fresh = await lost.client.session.createRecoveryCodes({ password: person.login.password })
  const again = browser()
  await again.client.session.signIn(person.login)
  await expect(again.client.session.verifySecondFactor({ code: recoveryCodes[1] ?? '' })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  await again.client.session.verifySecondFactor({ code: fresh.recoveryCodes[0] ?? '' })
})

test('an authenticator app and passkeys share the recovery codes, and each can be removed without the other', async () => {
  const person = await api.signIn()
  const { password } = person.login
  const passkey = authenticator()
  const { passkey: added, recoveryCodes } = await add(person, passkey)
  const abandoned = await person.client.session.createAuthenticator({ password })
  expect(abandoned.recoveryCodes).toEqual([])
  const { uri } = await person.client.session.createAuthenticator({ password })
  expect(await person.client.session.confirmAuthenticator({ code: totpCode(uri) })).toMatchObject({
    person: { email: person.email },
    secondFactors: ['authenticator', 'passkey'],
  })
  const withCode = browser()
  expect(await withCode.client.session.signIn(person.login)).toMatchObject({
    secondFactors: ['authenticator', 'passkey'],
  })
  expect(await withCode.client.session.verifySecondFactor({ code: totpCode(uri, 1) })).toMatchObject({
    person: { email: person.email },
  })
  expect(await person.client.session.removeAuthenticator({ password })).toMatchObject({ secondFactors: ['passkey'] })
  const withRecoveryCode = browser()
  await withRecoveryCode.client.session.signIn(person.login)
  await expect(withRecoveryCode.client.session.verifySecondFactor({ code: totpCode(uri, -1) })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  await withRecoveryCode.client.session.verifySecondFactor({ code: recoveryCodes[0] ?? '' })

  const again = await person.client.session.createAuthenticator({ password })
  await person.client.session.confirmAuthenticator({ code: totpCode(again.uri) })
  expect(await person.client.session.removePasskey(added.id)).toEqual({ passkeys: [] })
  expect(await browser().client.session.signIn(person.login)).toMatchObject({
    needsSecondFactor: true,
    secondFactors: ['authenticator'],
  })
  expect(await person.client.session.removeAuthenticator({ password })).toMatchObject({ secondFactors: [] })
  expect(await browser().client.session.signIn(person.login)).toMatchObject({ needsSecondFactor: false })
})

test('the first second factor ends the sessions that a password alone started', async () => {
  const person = await strictApi.signIn()
  const intruder = browser(strictApi)
  await intruder.client.session.signIn(person.login)
  await add(person, authenticator(strictApi))
  expect((await intruder.client.session.get()).person).toBeNull()
  expect((await person.client.session.get()).person).not.toBeNull()

  const withApp = await strictApi.signIn()
  const earlier = browser(strictApi)
  await earlier.client.session.signIn(withApp.login)
  const { uri } = await withApp.client.session.createAuthenticator({ password: withApp.login.password })
  await withApp.client.session.confirmAuthenticator({ code: totpCode(uri) })
  expect((await earlier.client.session.get()).person).toBeNull()
  expect((await withApp.client.session.get()).person).not.toBeNull()
})

test('a passkey meets the requirement of a second factor of an instance and of a project', async () => {
  const person = await strictApi.signIn()
  await expect(person.client.projects.list()).rejects.toMatchObject({ code: 'second_factor_required' })
  const passkey = authenticator(strictApi)
  const { passkey: added } = await add(person, passkey)
  expect((await person.client.projects.list()).projects).toEqual([])
  const later = browser(strictApi)
  await signIn(passkey, {}, later)
  expect((await later.client.projects.list()).projects).toEqual([])
  await later.client.session.removePasskey(added.id)
  await expect(later.client.projects.list()).rejects.toMatchObject({ code: 'second_factor_required' })

  const { projectId } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  await add(owner, authenticator())
  expect(await owner.client.members.requireSecondFactor(projectId, { required: true })).toEqual({
    required: true,
    membersWithout: 0,
  })
  expect(await owner.client.projects.get(projectId)).toMatchObject({ id: projectId })
})

test('a person has at most 10 passkeys, and each only once', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  await expect(add(person, passkey)).rejects.toMatchObject({ detail: expect.stringContaining('already in use') })
  await api.pool.query(
    `INSERT INTO person_passkey (id, person_id, name, credential_id, public_key, counter, transports)
     SELECT 'psk_' || n, person_id, 'Another', 'another-' || n, public_key, 0, '{}' FROM person_passkey, generate_series(1, 9) AS n
     WHERE person_id = (SELECT id FROM person WHERE email = $1)`,
    [person.email],
  )
  await expect(add(person, authenticator())).rejects.toMatchObject({ detail: expect.stringContaining('10 passkeys') })
})

test('a disabled person cannot sign in with a passkey, and an administrator can remove it', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  const operator = await api.signInOperator()
  const personId = await api.stores.accounts.findIdByEmail(person.email)
  await operator.client.people.disable(personId)
  await expect(signIn(passkey)).rejects.toMatchObject({
    code: 'unauthenticated',
    detail: expect.stringContaining('disabled'),
  })
  await operator.client.people.enable(personId)
  const back = browser()
  await signIn(passkey, {}, back)
  await api.stores.people.removeSecondFactor(person.email)
  expect((await back.client.session.get()).person).toBeNull()
  await expect(signIn(passkey)).rejects.toMatchObject(notAccepted)
  expect(await browser().client.session.signIn(person.login)).toMatchObject({ needsSecondFactor: false })
})

test('failed attempts have to wait longer, whether or not the passkey exists', async () => {
  const person = await api.signIn()
  const passkey = authenticator()
  await add(person, passkey)
  const fail = () => signIn(passkey, { skipsUserVerification: true }).catch(({ code }) => code)
  await api.pool.query('DELETE FROM person_network')
  const codes = []
  for (let attempt = 0; attempt < 6; attempt++) codes.push(await fail())
  expect(codes).toEqual([...Array(5).fill('unauthenticated'), 'rate_limited'])
  await expect(signIn(passkey), 'the wait applies to the right passkey too').rejects.toMatchObject({
    code: 'rate_limited',
  })
  expect(await person.client.session.get()).toMatchObject({ failedSignIns: { count: 5 } })
  const signInUnknown = () => signIn(authenticator(strictApi), {}, browser(strictApi))
  const unknown = await Promise.all(Array.from({ length: 40 }, () => signInUnknown().catch(({ code }) => code)))
  expect(new Set(unknown)).toEqual(new Set(['unauthenticated', 'rate_limited']))
})

test('the audit log of the instance records passkeys and their use', async () => {
  const operator = await api.signInOperator()
  const person = await api.signIn()
  const passkey = authenticator()
  const { passkey: added } = await add(person, passkey, { name: 'Security key' })
  await signIn(passkey, { skipsUserVerification: true }).catch(() => undefined)
  await signIn(authenticator()).catch(() => undefined)
  await signIn(passkey)
  await person.client.session.removePasskey(added.id)
  const { entries } = await operator.client.audit.listInstance({ limit: 5 })
  expect(entries).toMatchObject([
    { action: 'passkey.removed', actor: person.email, subject: added.id, detail: { name: 'Security key' } },
    { action: 'session.started', actor: person.email, detail: { method: 'passkey' } },
    { action: 'session.failed', actor: 'anonymous', detail: { method: 'passkey' } },
    { action: 'session.failed', actor: 'anonymous', detail: { method: 'passkey', email: person.email } },
    { action: 'passkey.added', actor: person.email, subject: added.id, detail: { name: 'Security key' } },
  ])
})

test('no request reaches the endpoints of the sign-in library', async () => {
  for (const path of ['passkey/generate-authenticate-options', 'passkey/start-session', 'start-passkey-session']) {
    const response = await fetch(`${api.url}/v2/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: originOf(api) },
      body: JSON.stringify({ personId: 'per_01m7ehpvk8eg2t3q9d4x5w0r7a' }),
    })
    expect(response.status, path).toBe(404)
  }
})
