import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api people')
afterAll(() => api.drop())

const origin = api.url.replace('127.0.0.1', 'localhost')
const browser = () => createBrowserClient(api.url, origin)
const password = 'correct horse battery staple'
const email = 'operator@example.com'

test('the first owner is created once, with a valid token', async () => {
  const { client, setCookies } = browser()
  expect(await client.session.get()).toMatchObject({
    person: null,
    needsFirstOwner: true,
    providers: [],
    canSendEmail: false,
  })
  const person = { name: 'An Operator', email: 'Operator@example.com', password }
  const wrong = { ...person, token: 'x'.repeat(43) }
  await expect(client.session.createFirstOwner(wrong)).rejects.toMatchObject({ code: 'not_found' })
  const token = await api.stores.people.createFirstOwnerToken()
  const second = await api.stores.people.createFirstOwnerToken()
  for (const weak of ['short', 'password1234', 'operator@example.com'])
    await expect(client.session.createFirstOwner({ ...person, token, password: weak })).rejects.toMatchObject({
      code: 'invalid_request',
    })
  const attempts = await Promise.allSettled(
    [token, second].map((eachToken) => browser().client.session.createFirstOwner({ ...person, token: eachToken })),
  )
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(client.session.createFirstOwner({ ...person, token })).rejects.toMatchObject({ code: 'not_found' })

  await client.session.signIn({ email, password })
  const session = await client.session.get()
  expect(session).toMatchObject({ person: { email, isOperator: true }, needsFirstOwner: false })
  for (const cookie of setCookies) {
    expect(cookie).toMatch(/^__Host-/)
    for (const attribute of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']) expect(cookie).toContain(attribute)
  }
})

test('a wrong password and an unknown email address get the same response', async () => {
  const { client } = browser()
  const rejections = await Promise.all(
    [email, 'nobody@example.com'].map((eachEmail) =>
      client.session.signIn({ email: eachEmail, password: 'wrong' }).catch(({ code, detail }) => ({ code, detail })),
    ),
  )
  expect(rejections[0]).toEqual(rejections[1])
  expect(rejections[0]).toMatchObject({ code: 'unauthenticated' })
})

test('an ended session is invalid, and signing in again ends the previous session', async () => {
  const { projectId } = await api.createProject()
  const person = await api.signIn({ projectId, role: 'viewer' })
  const firstCookies = new Map(person.cookies)
  const old = createBrowserClient(api.url, origin)
  for (const [name, value] of firstCookies) (old.cookies as Map<string, string>).set(name, value)
  expect((await old.client.session.get()).person).not.toBeNull()
  await person.client.session.signIn(person.login)
  expect((await old.client.session.get()).person).toBeNull()
  await expect(old.client.projects.get(projectId)).rejects.toMatchObject({ code: 'unauthenticated' })

  const other = browser()
  await other.client.session.signIn(person.login)
  await person.client.session.endOthers()
  expect((await other.client.session.get()).person).toBeNull()
  const endedCookies = new Map(person.cookies)
  await person.client.session.signOut()
  for (const [name, value] of endedCookies) (old.cookies as Map<string, string>).set(name, value)
  expect((await old.client.session.get()).person).toBeNull()
})

test('changing the password ends other sessions, and a one-time link sets a new password', async () => {
  const person = await api.signIn()
  const other = browser()
  await other.client.session.signIn(person.login)
  const change = { currentPassword: person.login.password, newPassword: 'another sentence of mine' }
  await expect(person.client.session.changePassword({ ...change, currentPassword: 'wrong' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  expect((await person.client.session.changePassword(change)).person).toMatchObject({ email: person.email })
  expect((await other.client.session.get()).person).toBeNull()
  expect((await person.client.session.get()).person).not.toBeNull()

  const token = await api.stores.people.createPasswordResetToken(person.email)
  const again = browser()
  await again.client.session.resetPassword({ token, newPassword: 'a third sentence' })
  expect((await again.client.session.get()).person).toMatchObject({ email: person.email })
  expect((await person.client.session.get()).person).toBeNull()
  await expect(again.client.session.resetPassword({ token, newPassword: 'a fourth one here' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a password that is easy to guess is rejected wherever one is set', async () => {
  const { projectId } = await api.createProject()
  const email = 'robin.example@example.com'
  const { token } = await api.stores.invitations.create(projectId, { email, role: 'viewer' }, { kind: 'operator' })
  const person = browser()
  const account = { token, name: 'Robin Example' }
  for (const guess of ['password1234', 'Robin.Example.1'])
    await expect(person.client.invitations.accept({ ...account, password: guess })).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('Choose'),
    })
  await person.client.invitations.accept({ ...account, password })
  const change = { currentPassword: password, newPassword: 'password1234' }
  await expect(person.client.session.changePassword(change)).rejects.toMatchObject({ code: 'invalid_request' })
  const link = { token: await api.stores.people.createPasswordResetToken(email), newPassword: 'Robin.Example.1' }
  await expect(browser().client.session.resetPassword(link)).rejects.toMatchObject({ code: 'invalid_request' })
  await browser().client.session.resetPassword({ ...link, newPassword: 'nine bees keep a garden' }) // the link still works
})

test('an invitation can be accepted once, by the person it is for', async () => {
  const { projectId, client } = await api.createProject('Handbook')
  const invited = await client.invitations.create(projectId, { email: 'Writer@Example.com', role: 'editor' })
  expect(invited).toMatchObject({ invitation: { email: 'writer@example.com', role: 'editor' }, emailed: false })
  const token = new URL(invited.url ?? '').hash.slice(1)
  const newcomer = browser()
  expect(await newcomer.client.invitations.lookUp({ token })).toEqual({
    projectName: 'Handbook',
    email: 'writer@example.com',
    role: 'editor',
    hasAccount: false,
    canClaim: false,
  })
  await expect(newcomer.client.invitations.accept({ token })).rejects.toMatchObject({ code: 'unauthenticated' })
  const attempts = await Promise.allSettled(
    [newcomer, browser()].map(({ client }) => client.invitations.accept({ token, name: 'A Writer', password })),
  )
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const signedIn = browser()
  await signedIn.client.session.signIn({ email: 'writer@example.com', password })
  expect((await signedIn.client.projects.list()).projects).toMatchObject([{ id: projectId, role: 'editor' }])
  expect((await client.invitations.list(projectId)).invitations).toEqual([])

  const second = await client.invitations.create(projectId, { email: 'writer@example.com', role: 'owner' })
  const other = await api.signIn()
  const secondToken = new URL(second.url ?? '').hash.slice(1)
  await expect(other.client.invitations.accept({ token: secondToken })).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('is for writer@example.com'),
  })
  await signedIn.client.invitations.accept({ token: secondToken })
  expect((await signedIn.client.projects.list()).projects).toMatchObject([{ role: 'owner' }])

  const third = await client.invitations.create(projectId, { email: 'late@example.com', role: 'viewer' })
  await client.invitations.revoke(projectId, third.invitation.id)
  await expect(
    browser().client.invitations.lookUp({ token: new URL(third.url ?? '').hash.slice(1) }),
  ).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('rejects cross-origin requests that change something', async () => {
  const { projectId } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const rename = (headers: Record<string, string>) =>
    fetch(`${api.url}/v2/projects/${projectId}`, {
      method: 'PATCH',
      headers: { cookie, 'content-type': 'application/json', ...headers },
      body: '{"name":"Renamed"}',
    }).then(async (response) => [response.status, ((await response.json()) as { code?: string }).code])
  expect(await rename({})).toEqual([403, 'cross_origin'])
  expect(await rename({ origin: 'https://evil.example' })).toEqual([403, 'cross_origin'])
  expect(await rename({ origin: 'null' })).toEqual([403, 'cross_origin'])
  expect(await rename({ origin, 'sec-fetch-site': 'cross-site' })).toEqual([403, 'cross_origin'])
  expect(await rename({ origin, 'sec-fetch-site': 'same-site' })).toEqual([403, 'cross_origin'])
  expect(await rename({ origin })).toEqual([200, undefined])
  expect(await rename({ 'sec-fetch-site': 'same-origin' })).toEqual([200, undefined])
  const foreign = createBrowserClient(api.url, 'https://evil.example')
  await expect(foreign.client.session.signIn(owner.login)).rejects.toMatchObject({ code: 'cross_origin' })
})

test('creating a key requires a recent sign-in', async () => {
  const { projectId } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  const key = { name: 'CI', scopes: ['agent:read' as const] }
  expect((await owner.client.keys.create(projectId, key)).secret).toMatch(/^colophon_/)
  await api.pool.query(`UPDATE person_session SET created_at = now() - interval '11 minutes'`)
  await expect(owner.client.keys.create(projectId, key)).rejects.toMatchObject({ code: 'reauthentication_required' })
  await owner.client.session.signIn(owner.login)
  expect((await owner.client.keys.create(projectId, key)).secret).toMatch(/^colophon_/)
  const { entries } = await owner.client.audit.list(projectId, { limit: 1 })
  expect(entries).toMatchObject([{ action: 'key.created', actor: owner.email }])
})

test('only operators create projects, and own the ones they create', async () => {
  const operator = browser()
  await operator.client.session.signIn({ email, password })
  const project = await operator.client.projects.create({ name: 'Product docs' })
  expect((await operator.client.projects.list()).projects).toMatchObject([{ id: project.id, role: 'owner' }])
  const other = await api.signIn({ projectId: (await api.createProject()).projectId, role: 'owner' })
  await expect(other.client.projects.create({ name: 'Mine' })).rejects.toMatchObject({ code: 'insufficient_role' })
  await expect(other.client.projects.get(project.id)).rejects.toMatchObject({ code: 'not_found' })
})
