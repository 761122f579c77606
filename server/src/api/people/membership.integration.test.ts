/** Access to a project cannot be gained through an email address, a link or a key that does not grant it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import type { Scope } from '../../keys/scopes.ts'
import { deleteExpiredAccess } from '../../people/delete-expired-access.ts'
import type { Id } from '../../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api membership')
afterAll(() => api.drop())

const browser = () => createBrowserClient(api.url, api.url.replace('127.0.0.1', 'localhost'))
const password = 'correct horse battery staple'
const tokenOf = ({ url }: { url: string | null }) => new URL(url ?? '').hash.slice(1)
const newEmail = () => `${crypto.randomUUID()}@example.com`
const newAccount = { name: 'New Person', password }

/** Before version 0.2.0, a key could have `project:write` without all other scopes. */
async function createEarlierKey(projectId: Id<'prj'>, scopes: Scope[]) {
  const created = await api.createKey(projectId)
  await api.pool.query('UPDATE api_key SET scopes = $2 WHERE id = $1', [created.key.id, scopes])
  return created
}

test('the first owner can be created after another person was invited', async () => {
  const { projectId, client } = await api.createProject()
  const invited = await client.invitations.create(projectId, { email: 'early@example.com', role: 'viewer' })
  await browser().client.invitations.accept({ token: tokenOf(invited), ...newAccount })
  expect(await browser().client.session.get()).toMatchObject({ needsFirstOwner: true })
  const token = await api.stores.people.createFirstOwnerToken()
  const taken = { token, ...newAccount, email: 'early@example.com' }
  await expect(browser().client.session.createFirstOwner(taken)).rejects.toMatchObject({ code: 'invalid_request' })
  for (const email of ['admin@localhost', 'jürgen@example.com', 'a..b@example.com', 'a(b)@example.com'])
    await expect(browser().client.session.createFirstOwner({ ...taken, email }), email).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('is not an email address that can sign in'),
    })
  const session = await browser().client.session.createFirstOwner({ ...taken, email: 'operator@example.com' })
  expect(session).toMatchObject({ person: { isOperator: true } })
  expect(await browser().client.session.get()).toMatchObject({ needsFirstOwner: false })
})

test('an account gives no access to other projects that added its email address', async () => {
  const victim = await api.createProject('Victim')
  const evil = await api.createProject('Evil')
  const email = newEmail()
  const added = await victim.client.members.add(victim.projectId, { email, role: 'owner' })
  expect(added).toMatchObject({ hasJoined: false })
  const { client } = browser()
  const link = await evil.client.invitations.create(evil.projectId, { email, role: 'viewer' })
  await client.invitations.accept({ token: tokenOf(link), ...newAccount })
  expect((await client.projects.list()).projects.map(({ id }) => id)).toEqual([evil.projectId])
  await expect(client.projects.get(victim.projectId)).rejects.toMatchObject({ code: 'not_found' })

  const own = await victim.client.invitations.create(victim.projectId, { email, role: 'owner' })
  await client.invitations.accept({ token: tokenOf(own) })
  expect(await client.projects.get(victim.projectId)).toMatchObject({ name: 'Victim' })
  const { members } = await victim.client.members.list(victim.projectId)
  expect(members).toEqual([{ ...added, hasJoined: true }])
})

test('a removed or demoted member cannot use earlier invitations to regain access', async () => {
  const { projectId, client } = await api.createProject()
  await api.signIn({ projectId, role: 'owner' })
  for (const action of ['remove', 'demote'] as const) {
    const evil = await api.signIn({ projectId, role: 'owner' })
    const friend = await evil.client.invitations.create(projectId, { email: newEmail(), role: 'owner' })
    const self = await evil.client.invitations.create(projectId, { email: evil.email, role: 'owner' })
    const { members } = await client.members.list(projectId)
    const id = members.find(({ email }) => email === evil.email)?.id ?? ''
    if (action === 'remove') await client.members.remove(projectId, id)
    else await client.members.changeRole(projectId, id, { role: 'viewer' })
    for (const link of [friend, self])
      await expect(browser().client.invitations.lookUp({ token: tokenOf(link) })).rejects.toMatchObject({
        code: 'not_found',
      })
  }
  expect((await client.invitations.list(projectId)).invitations).toEqual([])
})

test('a member who accepts an invitation while being removed is removed', async () => {
  const { projectId, client } = await api.createProject()
  const { email: remaining } = await api.signIn({ projectId, role: 'owner' })
  for (let round = 0; round < 5; round++) {
    const evil = await api.signIn({ projectId, role: 'owner' })
    const link = await client.invitations.create(projectId, { email: evil.email, role: 'owner' })
    const { members } = await client.members.list(projectId)
    const id = members.find(({ email }) => email === evil.email)?.id ?? ''
    const [, removed] = await Promise.allSettled([
      evil.client.invitations.accept({ token: tokenOf(link) }),
      client.members.remove(projectId, id),
    ])
    expect(removed.status).toBe('fulfilled')
    expect((await client.members.list(projectId)).members.map(({ email }) => email)).toEqual([remaining])
  }
})

test('a key cannot grant a role beyond its scopes, and revoking it revokes its invitations', async () => {
  const { projectId, client } = await api.createProject()
  const narrow = await createEarlierKey(projectId, ['project:write', 'project:read'])
  const owner = { email: newEmail(), role: 'owner' as const }
  const rejection = { code: 'insufficient_scope' }
  await expect(narrow.client.invitations.create(projectId, owner)).rejects.toMatchObject(rejection)
  await expect(narrow.client.members.add(projectId, owner)).rejects.toMatchObject(rejection)
  const member = await client.members.add(projectId, { ...owner, role: 'viewer' })
  await expect(narrow.client.members.changeRole(projectId, member.id, { role: 'owner' })).rejects.toMatchObject(
    rejection,
  )

  const parent = await api.createKey(projectId)
  const child = await parent.client.keys.create(projectId, { name: 'Child', scopes: [...parent.key.scopes] })
  const links = [
    await parent.client.invitations.create(projectId, owner),
    await api.clientWith(child.secret).invitations.create(projectId, { ...owner, email: newEmail() }),
  ]
  await client.keys.revoke(projectId, parent.key.id)
  for (const link of links)
    await expect(browser().client.invitations.lookUp({ token: tokenOf(link) })).rejects.toMatchObject({
      code: 'not_found',
    })
})

test('accepting an invitation never lowers a role, so that a project keeps its owner', async () => {
  const { projectId, client } = await api.createProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  const link = await owner.client.invitations.create(projectId, { email: owner.email, role: 'viewer' })
  await owner.client.invitations.accept({ token: tokenOf(link) })
  const { members } = await client.members.list(projectId)
  expect(members).toMatchObject([{ email: owner.email, role: 'owner' }])
  const { entries } = await client.audit.list(projectId, { limit: 1 })
  expect(entries).toMatchObject([{ action: 'member.added', subject: members[0]?.id, detail: { role: 'owner' } }])

  await client.members.add(projectId, { email: newEmail(), role: 'owner' })
  const id = members[0]?.id ?? ''
  await expect(client.members.remove(projectId, id), 'the other owner never joined').rejects.toMatchObject({
    detail: expect.stringContaining('last owner'),
  })
})

test('an invitation does not grant the role of a member who was added but never joined', async () => {
  const { projectId, client } = await api.createProject()
  const email = newEmail()
  await client.members.add(projectId, { email, role: 'owner' })
  const narrow = await createEarlierKey(projectId, ['project:write', 'project:read', 'agent:read', 'analytics:read'])
  const link = await narrow.client.invitations.create(projectId, { email, role: 'viewer' })
  const { client: person } = browser()
  await person.invitations.accept({ token: tokenOf(link), ...newAccount })
  expect((await person.projects.list()).projects).toMatchObject([{ role: 'viewer' }])
})

test('rejects email addresses that cannot sign in, and writes nothing', async () => {
  const { projectId, client } = await api.createProject()
  for (const email of [
    'admin@localhost',
    'jürgen@example.com',
    'a..b@example.com',
    'a@[127.0.0.1]',
    'a\\b@example.com',
  ])
    for (const add of [client.invitations.create, client.members.add])
      await expect(add(projectId, { email, role: 'viewer' }), email).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [{ path: 'body/email', message: expect.stringContaining('can sign in') }],
      })
  expect((await client.invitations.list(projectId)).invitations).toEqual([])
  expect((await client.members.list(projectId)).members).toEqual([])
})

test('two invitations for one new address, accepted at once: one creates the account, the other reports that it exists', async () => {
  const email = newEmail()
  const first = await api.createProject()
  const second = await api.createProject()
  const links = await Promise.all(
    [first, second].map(({ client, projectId }) => client.invitations.create(projectId, { email, role: 'editor' })),
  )
  const attempts = await Promise.allSettled(
    links.map((link) => browser().client.invitations.accept({ token: tokenOf(link), ...newAccount })),
  )
  expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(attempts.find((attempt) => attempt.status === 'rejected')?.reason).toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('already has an account'),
  })
})

test('an invalid link is rejected before the password is hashed', async () => {
  const token = 'x'.repeat(43)
  const attempts = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => {
      const { session, invitations } = browser().client
      if (index % 3 === 0) return invitations.accept({ token, ...newAccount })
      if (index % 3 === 1) return session.resetPassword({ token, newPassword: password })
      return session.createFirstOwner({ token, ...newAccount, email: 'x@example.com' })
    }),
  )
  // If passwords were hashed, most requests would exceed the concurrency limit and get `unavailable`.
  expect(new Set(attempts.map((attempt) => attempt.status === 'rejected' && attempt.reason.code))).toEqual(
    new Set(['not_found']),
  )
})

test('rejects some requests as unavailable when too many passwords arrive at once', async () => {
  const people = await Promise.all(Array.from({ length: 4 }, () => api.signIn()))
  const change = { currentPassword: 'a wrong guess', newPassword: 'a sentence of my own' }
  const codes = await Promise.all(
    people.flatMap(({ client }) =>
      Array.from({ length: 10 }, () => client.session.changePassword(change).catch(({ code }) => code)),
    ),
  )
  expect(new Set(codes)).toEqual(new Set(['invalid_request', 'unavailable']))
})

test('setting a password invalidates all other links for setting one', async () => {
  const { people } = api.stores
  const person = await api.signIn()
  const links = [
    await people.createPasswordResetToken(person.email),
    await people.createPasswordResetToken(person.email),
  ]
  const [first = '', second = ''] = links
  const { client } = browser()
  await client.session.resetPassword({ token: first, newPassword: 'a third sentence' })
  const lateReset = { token: second, newPassword: 'a fourth sentence' }
  await expect(client.session.resetPassword(lateReset)).rejects.toMatchObject({ code: 'not_found' })

  const third = await people.createPasswordResetToken(person.email)
  await client.session.changePassword({ currentPassword: 'a third sentence', newPassword: 'a fifth sentence' })
  await expect(client.session.resetPassword({ ...lateReset, token: third })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('expired invitations do not count as open, and everything expired is deleted', async () => {
  const { projectId, client } = await api.createProject()
  await api.pool.query(
    `INSERT INTO invitation (project_id, id, token_hash, email, role, invited_by, expires_at)
     SELECT $1, 'inv_' || n, sha256(($1 || n)::bytea), n || '@example.com', 'viewer', 'operator', now() - interval '1 day'
     FROM generate_series(1, 500) AS n`,
    [projectId],
  )
  await client.invitations.create(projectId, { email: newEmail(), role: 'viewer' })
  const person = await api.signIn()
  await api.stores.people.createPasswordResetToken(person.email)
  await api.pool.query(
    `UPDATE person_session SET expires_at = now() WHERE person_id IN (SELECT id FROM person WHERE email = $1)`,
    [person.email],
  )
  await api.pool.query(`UPDATE one_time_link SET expires_at = now()`)
  await api.pool.query(`UPDATE invitation SET expires_at = now()`)
  await api.pool.query(`UPDATE invitation_email SET at = now() - interval '2 hours'`)
  await sleep(5)
  await deleteExpiredAccess(api.database)
  for (const table of ['one_time_link', 'invitation', 'invitation_email'])
    expect((await api.pool.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0)
  expect((await person.client.session.get()).person).toBeNull()
  expect((await api.pool.query('SELECT FROM person_session WHERE expires_at < now()')).rowCount).toBe(0)
})

test('limits invitation emails to one per address in 10 minutes and 50 per project in an hour', async () => {
  const { projectId } = await api.createProject()
  const { invitations } = api.stores
  const operator = { kind: 'operator' } as const
  const invite = (email: string) =>
    invitations.create(projectId, { email, role: 'viewer' }, operator, { byEmail: true })
  const limited = { code: 'rate_limited' }
  await invite('first@example.com')
  const [invitation] = await invitations.list(projectId)
  await invitations.revoke(projectId, invitation?.id ?? '', operator)
  await expect(invite('first@example.com')).rejects.toMatchObject(limited)
  await api.pool.query(`UPDATE invitation_email SET at = now() - interval '11 minutes' WHERE project_id = $1`, [
    projectId,
  ])
  await invite('first@example.com')
  await api.pool.query(
    `INSERT INTO invitation_email (project_id, email) SELECT $1, n || '@example.com' FROM generate_series(1, 48) AS n`,
    [projectId],
  )
  await expect(invite('second@example.com')).rejects.toMatchObject(limited)
  expect(await invitations.list(projectId), 'a rejected invitation leaves nothing behind').toHaveLength(1)
})
