/** Authenticator apps, recovery codes, and who has to have one. */
import { createHash } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { type SignedInClient, startTestApi } from '../../../../testing/harness/test-api.ts'
import { totpCode } from '../../../../testing/harness/totp.ts'

const api = await startTestApi(inject('services'), 'api second factor')
const strictApi = await startTestApi(inject('services'), 'api strict', { COLOPHON_REQUIRE_SECOND_FACTOR: 'true' })
afterAll(async () => {
  await api.drop()
  await strictApi.drop()
})
const browser = (url = api.url) => createBrowserClient(url, url.replace('127.0.0.1', 'localhost'))

async function setUp({ client, login }: SignedInClient): Promise<{ uri: string; recoveryCodes: string[] }> {
  const secrets = await client.session.createAuthenticator({ password: login.password })
  await client.session.confirmAuthenticator({ code: totpCode(secrets.uri) })
  return secrets
}

test('after it is confirmed, signing in needs a code of the authenticator app, which works once', async () => {
  const person = await api.signIn()
  const { client } = person
  await expect(client.session.createAuthenticator({ password: 'wrong' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const { uri, recoveryCodes } = await client.session.createAuthenticator({ password: person.login.password })
  expect(uri).toMatch(/^otpauth:\/\/totp\/.*secret=[A-Z2-7]+/)
  expect(recoveryCodes).toHaveLength(10)
  expect(await browser().client.session.signIn(person.login), 'not confirmed yet').toMatchObject({
    person: { hasSecondFactor: false },
    needsSecondFactor: false,
  })
  await expect(client.session.confirmAuthenticator({ code: '000000' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const code = totpCode(uri)
  expect(await client.session.confirmAuthenticator({ code })).toMatchObject({ person: { hasSecondFactor: true } })
  const { rows } = await api.pool.query('SELECT secret, backup_codes FROM person_two_factor')
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  expect(JSON.stringify(rows)).not.toContain(secret)
  expect(JSON.stringify(rows)).not.toContain(recoveryCodes[0])
  const stored = JSON.parse(rows[0].backup_codes) as string[]
  expect(stored, 'only hashes').toEqual(recoveryCodes.map((each) => createHash('sha256').update(each).digest('hex')))

  const later = browser()
  expect(await later.client.session.signIn(person.login)).toMatchObject({ person: null, needsSecondFactor: true })
  await expect(later.client.projects.list()).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(later.client.session.verifySecondFactor({ code }), 'used before').rejects.toMatchObject({
    code: 'unauthenticated',
  })
  await later.client.session.signIn(person.login)
  const next = totpCode(uri, 1)
  expect(await later.client.session.verifySecondFactor({ code: next })).toMatchObject({
    person: { email: person.email },
    needsSecondFactor: false,
  })
  const { sessions } = await later.client.session.list()
  expect(sessions.length).toBeGreaterThan(0)

  const thief = browser()
  await thief.client.session.signIn(person.login)
  await expect(thief.client.session.verifySecondFactor({ code: next })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  expect((await thief.client.session.get()).person).toBeNull()
})

test('a recovery code works once, and new ones replace the old ones', async () => {
  const person = await api.signIn()
  const { recoveryCodes } = await setUp(person)
  const [first = '', second = ''] = recoveryCodes
  const other = browser()
  await other.client.session.signIn(person.login)
  expect(await other.client.session.verifySecondFactor({ code: first })).toMatchObject({
    person: { email: person.email },
  })
  const third = browser()
  await third.client.session.signIn(person.login)
  expect(await third.client.session.verifySecondFactor({ code: recoveryCodes[2] ?? '' })).toMatchObject({
    person: { email: person.email },
  })
  const again = browser()
  await again.client.session.signIn(person.login)
  await expect(again.client.session.verifySecondFactor({ code: first })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  const fresh = await person.client.session.createRecoveryCodes({ password: person.login.password })
  await expect(again.client.session.verifySecondFactor({ code: second })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  expect(await again.client.session.verifySecondFactor({ code: fresh.recoveryCodes[0] ?? '' })).toMatchObject({
    person: { email: person.email },
  })
})

test('wrong codes end the sign-in after 5, and lock the second factor for a while after 10', async () => {
  const person = await api.signIn()
  const { uri } = await setUp(person)
  const guess = async (count: number) => {
    const { client } = browser()
    await client.session.signIn(person.login)
    const codes: unknown[] = []
    for (let index = 0; index < count; index++)
      codes.push(await client.session.verifySecondFactor({ code: '000000' }).catch(({ code }) => code))
    return { client, codes }
  }
  const { client } = await guess(6)
  await expect(client.session.verifySecondFactor({ code: totpCode(uri, 1) })).rejects.toMatchObject({
    code: 'unauthenticated',
    detail: expect.stringContaining('Start again'),
  })
  expect((await guess(6)).codes.at(-1)).toBe('rate_limited')
  expect((await person.client.session.get()).person, 'sessions are not affected').not.toBeNull()
})

test('a link that sets a new password does not replace it', async () => {
  const person = await api.signIn()
  await setUp(person)
  const token = await api.stores.people.createPasswordResetToken(person.email)
  const later = browser()
  expect(await later.client.session.resetPassword({ token, newPassword: 'quite another sentence' })).toMatchObject({
    person: null,
    needsSecondFactor: true,
  })
  await expect(later.client.projects.list()).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('removing it needs the password and a recent sign-in, and an administrator can remove it', async () => {
  const person = await api.signIn()
  await setUp(person)
  await api.pool.query(`UPDATE person_session SET created_at = now() - interval '11 minutes'`)
  await expect(person.client.session.removeAuthenticator({ password: person.login.password })).rejects.toMatchObject({
    code: 'reauthentication_required',
  })
  await api.pool.query('UPDATE person_session SET created_at = now()')
  await expect(person.client.session.removeAuthenticator({ password: 'wrong' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  expect(await person.client.session.removeAuthenticator({ password: person.login.password })).toMatchObject({
    person: { hasSecondFactor: false },
  })
  expect(await browser().client.session.signIn(person.login)).toMatchObject({ needsSecondFactor: false })

  await setUp(person)
  await api.stores.people.removeSecondFactor(person.email)
  expect((await person.client.session.get()).person).toBeNull()
  expect(await browser().client.session.signIn(person.login)).toMatchObject({ needsSecondFactor: false })
})

test('a project can require it of its members, but not of API keys', async () => {
  const { projectId, client: keyClient } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  const viewer = await api.signIn({ projectId, role: 'viewer' })
  await expect(owner.client.members.requireSecondFactor(projectId, { required: true })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('first'),
  })
  await setUp(owner)
  await expect(keyClient.members.requireSecondFactor(projectId, { required: true })).rejects.toMatchObject({
    code: 'insufficient_scope',
  })
  expect(await owner.client.members.requireSecondFactor(projectId, { required: true })).toEqual({
    required: true,
    membersWithout: 1,
  })
  await expect(viewer.client.projects.get(projectId)).rejects.toMatchObject({ code: 'second_factor_required' })
  expect((await viewer.client.projects.list()).projects).toHaveLength(1)
  expect(await keyClient.projects.get(projectId)).toMatchObject({ id: projectId })
  expect(await owner.client.projects.get(projectId)).toMatchObject({ id: projectId })
  await setUp(viewer)
  expect(await viewer.client.projects.get(projectId)).toMatchObject({ id: projectId })
  const { entries } = await owner.client.audit.list(projectId, { limit: 1 })
  expect(entries).toMatchObject([{ action: 'second_factor.required', actor: owner.email }])
})

test('an instance can require it: until it is set up, a person reaches nothing else', async () => {
  const { projectId, client: keyClient } = await strictApi.createProject()
  const person = await strictApi.signIn({ projectId, role: 'owner' })
  expect(await person.client.session.get()).toMatchObject({ mustSetUpSecondFactor: true })
  for (const request of [
    () => person.client.projects.list(),
    () => person.client.projects.get(projectId),
    () => person.client.projects.create({ name: 'Mine' }),
  ])
    await expect(request()).rejects.toMatchObject({ code: 'second_factor_required' })
  expect((await person.client.session.list()).sessions).toHaveLength(1)
  expect(await keyClient.projects.get(projectId)).toMatchObject({ id: projectId })
  await setUp(person)
  expect(await person.client.session.get()).toMatchObject({ mustSetUpSecondFactor: false })
  expect((await person.client.projects.list()).projects).toHaveLength(1)
})
