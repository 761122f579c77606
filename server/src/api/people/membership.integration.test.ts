/** Nobody comes to a project by an address, a link or a key that was not meant to bring them there. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { browserLike } from '../../../../dev-services/browser-like.ts'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { forgetExpired } from '../../people/forget-expired.ts'
import type { PeopleTables } from '../../people/tables.ts'
import { createDatabase } from '../../platform/postgres.ts'

const api = await startRunningApi(inject('services'), 'api membership')
afterAll(() => api.drop())

const browser = () => browserLike(api.url, api.url.replace('127.0.0.1', 'localhost'))
const password = 'correct horse battery staple'
const tokenOf = ({ url }: { url: string }) => new URL(url).hash.slice(1)
const newAddress = () => `${crypto.randomUUID()}@example.com`
const asNew = { name: 'Somebody', password }

test('whoever was invited before there is an operator does not shut the operator out', async () => {
  const { projectId, client } = await api.makeProject()
  const invited = await client.invitations.create(projectId, { email: 'early@example.com', role: 'viewer' })
  await browser().client.invitations.accept({ token: tokenOf(invited), ...asNew })
  expect(await browser().client.session.get()).toMatchObject({ needsFirstOwner: true })
  const token = await api.stores.people.newOwnerToken()
  const taken = { token, ...asNew, email: 'early@example.com' }
  await expect(browser().client.session.createFirstOwner(taken)).rejects.toMatchObject({ code: 'invalid_request' })
  for (const email of ['admin@localhost', 'jürgen@example.com', 'a..b@example.com', 'a(b)@example.com'])
    await expect(browser().client.session.createFirstOwner({ ...taken, email }), email).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('is not an address that can sign in here'),
    })
  const made = await browser().client.session.createFirstOwner({ ...taken, email: 'operator@example.com' })
  expect(made).toMatchObject({ person: { isOperator: true } })
  expect(await browser().client.session.get()).toMatchObject({ needsFirstOwner: false })
})

test('the account of an address brings nobody into other projects that name the address', async () => {
  const victim = await api.makeProject('Victim')
  const evil = await api.makeProject('Evil')
  const email = newAddress()
  const added = await victim.client.members.add(victim.projectId, { email, role: 'owner' })
  expect(added).toMatchObject({ hasJoined: false })
  const { client } = browser()
  const link = await evil.client.invitations.create(evil.projectId, { email, role: 'viewer' })
  await client.invitations.accept({ token: tokenOf(link), ...asNew })
  expect((await client.projects.list()).projects.map(({ id }) => id)).toEqual([evil.projectId])
  await expect(client.projects.get(victim.projectId)).rejects.toMatchObject({ code: 'not_found' })

  const own = await victim.client.invitations.create(victim.projectId, { email, role: 'owner' })
  await client.invitations.accept({ token: tokenOf(own) })
  expect(await client.projects.get(victim.projectId)).toMatchObject({ name: 'Victim' })
  const { members } = await victim.client.members.list(victim.projectId)
  expect(members).toEqual([{ ...added, hasJoined: true }])
})

test('who is removed or gets a lower role does not come back with an invitation of before', async () => {
  const { projectId, client } = await api.makeProject()
  await api.signIn({ projectId, role: 'owner' })
  for (const end of ['remove', 'lower'] as const) {
    const evil = await api.signIn({ projectId, role: 'owner' })
    const friend = await evil.client.invitations.create(projectId, { email: newAddress(), role: 'owner' })
    const self = await evil.client.invitations.create(projectId, { email: evil.email, role: 'owner' })
    const { members } = await client.members.list(projectId)
    const id = members.find(({ email }) => email === evil.email)?.id ?? ''
    if (end === 'remove') await client.members.remove(projectId, id)
    else await client.members.changeRole(projectId, id, { role: 'viewer' })
    for (const link of [friend, self])
      await expect(browser().client.invitations.look({ token: tokenOf(link) })).rejects.toMatchObject({
        code: 'not_found',
      })
  }
  expect((await client.invitations.list(projectId)).invitations).toEqual([])
})

test('who accepts while being removed is removed', async () => {
  const { projectId, client } = await api.makeProject()
  const { email: kept } = await api.signIn({ projectId, role: 'owner' })
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
    expect((await client.members.list(projectId)).members.map(({ email }) => email)).toEqual([kept])
  }
})

test('a key gives no role that may more than itself, and its invitations end with it', async () => {
  const { projectId, client } = await api.makeProject()
  const narrow = await api.makeKey(projectId, { scopes: ['project:write', 'project:read'] })
  const owner = { email: newAddress(), role: 'owner' as const }
  const refusal = { code: 'insufficient_scope' }
  await expect(narrow.client.invitations.create(projectId, owner)).rejects.toMatchObject(refusal)
  await expect(narrow.client.members.add(projectId, owner)).rejects.toMatchObject(refusal)
  const member = await client.members.add(projectId, { ...owner, role: 'viewer' })
  await expect(narrow.client.members.changeRole(projectId, member.id, { role: 'owner' })).rejects.toMatchObject(refusal)

  const maker = await api.makeKey(projectId)
  const child = await maker.client.keys.create(projectId, { name: 'Child', scopes: [...maker.key.scopes] })
  const links = [
    await maker.client.invitations.create(projectId, owner),
    await api.clientWith(child.secret).invitations.create(projectId, { ...owner, email: newAddress() }),
  ]
  await client.keys.revoke(projectId, maker.key.id)
  for (const link of links)
    await expect(browser().client.invitations.look({ token: tokenOf(link) })).rejects.toMatchObject({
      code: 'not_found',
    })
})

test('nobody gets less by accepting: a project keeps its owner', async () => {
  const { projectId, client } = await api.makeProject()
  const owner = await api.signIn({ projectId, role: 'owner' })
  const link = await owner.client.invitations.create(projectId, { email: owner.email, role: 'viewer' })
  await owner.client.invitations.accept({ token: tokenOf(link) })
  const { members } = await client.members.list(projectId)
  expect(members).toMatchObject([{ email: owner.email, role: 'owner' }])
  const { entries } = await client.audit.list(projectId, { limit: 1 })
  expect(entries).toMatchObject([{ action: 'member.added', subject: members[0]?.id, detail: { role: 'owner' } }])

  await client.members.add(projectId, { email: newAddress(), role: 'owner' })
  const id = members[0]?.id ?? ''
  await expect(client.members.remove(projectId, id), 'the other never joined').rejects.toMatchObject({
    detail: expect.stringContaining('last owner'),
  })
})

test('a narrow key does not take the role of one who was added and never came', async () => {
  const { projectId, client } = await api.makeProject()
  const email = newAddress()
  await client.members.add(projectId, { email, role: 'owner' })
  const narrow = await api.makeKey(projectId, {
    scopes: ['project:write', 'project:read', 'agent:read', 'analytics:read'],
  })
  const link = await narrow.client.invitations.create(projectId, { email, role: 'viewer' })
  const { client: person } = browser()
  await person.invitations.accept({ token: tokenOf(link), ...asNew })
  expect((await person.projects.list()).projects).toMatchObject([{ role: 'viewer' }])
})

test('addresses that nobody could sign in with are refused, and nothing is written', async () => {
  const { projectId, client } = await api.makeProject()
  for (const email of [
    'admin@localhost',
    'jürgen@example.com',
    'a..b@example.com',
    'a@[127.0.0.1]',
    'a\\b@example.com',
  ])
    for (const asked of [client.invitations.create, client.members.add])
      await expect(asked(projectId, { email, role: 'viewer' }), email).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [{ path: 'body/email', message: expect.stringContaining('can sign in') }],
      })
  expect((await client.invitations.list(projectId)).invitations).toEqual([])
  expect((await client.members.list(projectId)).members).toEqual([])
})

test('two invitations of one new address at once: one makes the account, the other says that there is one', async () => {
  const email = newAddress()
  const one = await api.makeProject()
  const two = await api.makeProject()
  const links = await Promise.all(
    [one, two].map(({ client, projectId }) => client.invitations.create(projectId, { email, role: 'editor' })),
  )
  const tries = await Promise.allSettled(
    links.map((link) => browser().client.invitations.accept({ token: tokenOf(link), ...asNew })),
  )
  expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(tries.find((tried) => tried.status === 'rejected')?.reason).toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('has an account here'),
  })
})

test('a dead link costs no hashing of passwords', async () => {
  const token = 'x'.repeat(43)
  const tries = await Promise.allSettled(
    Array.from({ length: 40 }, (_, index) => {
      const { session, invitations } = browser().client
      if (index % 3 === 0) return invitations.accept({ token, ...asNew })
      if (index % 3 === 1) return session.resetPassword({ token, newPassword: password })
      return session.createFirstOwner({ token, ...asNew, email: 'x@example.com' })
    }),
  )
  // With hashing, most of them would find no room and be told `unavailable`.
  expect(new Set(tries.map((one) => one.status === 'rejected' && one.reason.code))).toEqual(new Set(['not_found']))
})

test('where too many passwords come at once, some are told to come back', async () => {
  const tries = await Promise.all(
    Array.from({ length: 40 }, () =>
      browser()
        .client.session.signIn({ email: newAddress(), password })
        .catch(({ code }) => code),
    ),
  )
  expect(new Set(tries)).toEqual(new Set(['unauthenticated', 'unavailable']))
})

test('a new password ends every other link to set one', async () => {
  const { people } = api.stores
  const person = await api.signIn()
  const links = [await people.newPasswordToken(person.email), await people.newPasswordToken(person.email)]
  const [first = '', second = ''] = links
  const { client } = browser()
  await client.session.resetPassword({ token: first, newPassword: 'a third sentence' })
  const late = { token: second, newPassword: 'a fourth sentence' }
  await expect(client.session.resetPassword(late)).rejects.toMatchObject({ code: 'not_found' })

  const third = await people.newPasswordToken(person.email)
  await client.session.changePassword({ currentPassword: 'a third sentence', newPassword: 'a fifth sentence' })
  await expect(client.session.resetPassword({ ...late, token: third })).rejects.toMatchObject({ code: 'not_found' })
})

test('what has expired takes no room and is swept', async () => {
  const { projectId, client } = await api.makeProject()
  await api.pool.query(
    `INSERT INTO invitation (project_id, id, token_hash, email, role, invited_by, expires_at)
     SELECT $1, 'inv_' || n, sha256(($1 || n)::bytea), n || '@example.com', 'viewer', 'operator', now() - interval '1 day'
     FROM generate_series(1, 500) AS n`,
    [projectId],
  )
  await client.invitations.create(projectId, { email: newAddress(), role: 'viewer' })
  const person = await api.signIn()
  await api.stores.people.newPasswordToken(person.email)
  await api.pool.query(
    `UPDATE person_session SET expires_at = now() WHERE person_id IN (SELECT id FROM person WHERE email = $1)`,
    [person.email],
  )
  await api.pool.query(`UPDATE one_time_link SET expires_at = now()`)
  await api.pool.query(`UPDATE invitation SET expires_at = now()`)
  await api.pool.query(`UPDATE invitation_email SET at = now() - interval '2 hours'`)
  await sleep(5)
  await forgetExpired(createDatabase<PeopleTables>(api.pool))
  for (const table of ['one_time_link', 'invitation', 'invitation_email'])
    expect((await api.pool.query(`SELECT FROM ${table}`)).rowCount, table).toBe(0)
  expect((await person.client.session.get()).person).toBeNull()
  expect((await api.pool.query('SELECT FROM person_session WHERE expires_at < now()')).rowCount).toBe(0)
})

test('one mail to an address in ten minutes, and fifty in an hour for a project', async () => {
  const { projectId } = await api.makeProject()
  const { invitations } = api.stores
  const operator = { kind: 'operator' } as const
  const mayMail = async (email: string) =>
    (await invitations.create(projectId, { email, role: 'viewer' }, operator)).mayMail
  expect(await mayMail('first@example.com')).toBe(true)
  const [again] = await invitations.list(projectId)
  await invitations.revoke(projectId, again?.id ?? '', operator)
  expect(await mayMail('first@example.com')).toBe(false)
  await api.pool.query(`UPDATE invitation_email SET at = now() - interval '11 minutes' WHERE project_id = $1`, [
    projectId,
  ])
  expect(await mayMail('first@example.com')).toBe(true)
  await api.pool.query(
    `INSERT INTO invitation_email (project_id, email) SELECT $1, n || '@example.com' FROM generate_series(1, 48) AS n`,
    [projectId],
  )
  expect(await mayMail('second@example.com')).toBe(false)
})
