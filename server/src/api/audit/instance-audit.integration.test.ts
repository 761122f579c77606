/** The audit log of the instance, denied requests, and what a request line says about its caller. */
import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { totpCode } from '../../../../testing/harness/totp.ts'
import { generateSealingKeyPair } from '../../platform/sealed-secrets/sealing-keys.ts'

const api = await startTestApi(inject('services'), 'api instance audit', {
  COLOPHON_SEALING_PUBLIC_KEYS: generateSealingKeyPair().publicEntry,
})
afterAll(() => api.drop())

const operator = await api.signInOperator()
const readLatest = async (limit: number) =>
  (await operator.client.audit.listInstance({ limit })).entries.map(({ action, actor, detail, ipAddress }) => ({
    action,
    actor,
    detail,
    ipAddress,
  }))

test('has who signed in, who failed to, and from where', async () => {
  const publicOrigin = `http://localhost:${new URL(api.url).port}`
  const { client } = createBrowserClient(api.url, publicOrigin)
  await expect(client.session.signIn({ ...operator.login, password: 'a wrong password' })).rejects.toThrow()
  await client.session.signIn(operator.login)
  await client.session.signOut()
  const { email } = operator
  expect(await readLatest(3)).toEqual([
    { action: 'session.ended', actor: email, detail: {}, ipAddress: '127.0.0.1' },
    { action: 'session.started', actor: email, detail: { method: 'password' }, ipAddress: '127.0.0.1' },
    { action: 'session.failed', actor: 'anonymous', detail: { email }, ipAddress: '127.0.0.1' },
  ])
})

test('has ended sessions of other browsers, and new recovery codes', async () => {
  const { projectId } = await api.createProject()
  const { client, email, login } = await api.signIn({ projectId, role: 'viewer' })
  const { sessions } = await client.session.list()
  const { uri } = await client.session.createAuthenticator({ password: login.password })
  await client.session.confirmAuthenticator({ code: totpCode(uri) })
  await client.session.createRecoveryCodes({ password: login.password })
  await client.session.end(sessions[0]?.id ?? '')
  expect((await readLatest(2)).map(({ action, actor }) => `${action} ${actor}`)).toEqual([
    `session.other_ended ${email}`,
    `second_factor.recovery_codes_created ${email}`,
  ])
})

test('has password changes and links', async () => {
  const { projectId } = await api.createProject()
  const person = await api.signIn({ projectId, role: 'viewer' })
  const newPassword = 'another long sentence'
  await person.client.session.changePassword({ currentPassword: person.login.password, newPassword })
  const token = await api.stores.people.createPasswordResetToken(person.email)
  await person.client.session.resetPassword({ token, newPassword: 'a third long sentence' })
  expect((await readLatest(5)).map(({ action, actor }) => `${action} ${actor}`)).toEqual([
    `session.started ${person.email}`,
    `password.reset ${person.email}`,
    'password_link.created operator',
    `session.started ${person.email}`,
    `password.changed ${person.email}`,
  ])
})

test('has changes of models', async () => {
  await api.addModel({ name: 'audited' })
  await operator.client.models.setDefault('audited')
  await operator.client.models.remove('audited')
  expect((await readLatest(3)).map(({ action, actor }) => `${action} ${actor}`)).toEqual([
    `model.removed ${operator.email}`,
    `model.made_default ${operator.email}`,
    'model.added operator',
  ])
})

test('a key and a person who are denied something leave one entry in their project', async () => {
  const { projectId, client } = await api.createProject()
  const weak = await api.createKey(projectId, { scopes: ['agent:read'] })
  const viewer = await api.signIn({ projectId, role: 'viewer' })
  for (let attempt = 0; attempt < 3; attempt++) {
    await expect(weak.client.projects.rename(projectId, { name: 'x' })).rejects.toMatchObject({ status: 403 })
    await expect(viewer.client.projects.rename(projectId, { name: 'x' })).rejects.toMatchObject({ status: 403 })
  }
  const readDenials = async () =>
    (await client.audit.list(projectId)).entries
      .filter(({ action }) => action === 'access.denied')
      .map(({ actor, detail, ipAddress }) => ({ actor, ...detail, ipAddress }))
  const route = 'PATCH /v2/projects/:projectId'
  await expect.poll(readDenials).toEqual([
    { actor: viewer.email, route, code: 'insufficient_role', ipAddress: '127.0.0.1' },
    { actor: weak.key.id, route, code: 'insufficient_scope', ipAddress: '127.0.0.1' },
  ])
  await expect(viewer.client.audit.listInstance()).rejects.toMatchObject({ status: 403 })
  await expect
    .poll(async () => (await readLatest(1))[0])
    .toMatchObject({
      action: 'access.denied',
      actor: viewer.email,
      detail: { route: 'GET /v2/audit' },
    })
})

test('changed instructions are in the log of the project, before and after', async () => {
  const { projectId, client } = await api.createProject()
  await client.projects.changeSettings(projectId, { instructions: 'Write short sentences.' })
  await client.projects.changeSettings(projectId, { instructions: null })
  const { entries } = await client.audit.list(projectId, { limit: 1 })
  expect(entries[0]?.detail).toMatchObject({ from: 'Write short sentences.', to: null })
})

test('all entries can be read as lines of JSON', async () => {
  const { projectId, client, secret } = await api.createProject()
  for (let number = 0; number < 5; number++) await client.projects.rename(projectId, { name: `Name ${number}` })
  const response = await fetch(`${api.url}/v2/projects/${projectId}/audit`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'application/x-ndjson' },
  })
  expect(response.headers.get('content-type')).toContain('application/x-ndjson')
  const lines = (await response.text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual((await client.audit.list(projectId, { limit: 250 })).entries)
})
