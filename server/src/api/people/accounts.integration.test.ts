/** Operators disable, enable and delete people, end their sessions, and grant and revoke the operator right. */
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { type SignedInClient, startTestApi, type TestProject } from '../../../../testing/harness/test-api.ts'
import { freePort } from '../../../../testing/services/free-port.ts'
import { type Scope, scopes } from '../../keys/scopes.ts'
import { startApi } from '../../main/processes/api.ts'
import { loadApiConfig } from '../../platform/config.ts'
import { newId } from '../../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api accounts')
const listen = `127.0.0.1:${await freePort()}`
const replica = await startApi(
  loadApiConfig({ ...api.environment, COLOPHON_LISTEN: listen, COLOPHON_LOG_LEVEL: 'error' }),
)
afterAll(async () => {
  await replica.stop()
  await api.drop()
})

const urls = [api.url, `http://${listen}`]
const operator = await api.signInOperator()

let project: TestProject
let owner: SignedInClient
let person: SignedInClient
let personId: string

beforeEach(async () => {
  project = await api.createProject()
  owner = await api.signIn({ projectId: project.projectId, role: 'owner' })
  person = await api.signIn({ projectId: project.projectId, role: 'owner' })
  personId = await api.stores.accounts.findIdByEmail(person.email)
})

const createKey = (client: SignedInClient['client'], granted: readonly Scope[] = scopes) =>
  client.keys.create(project.projectId, { name: 'a key', scopes: [...granted] })

const cookieOf = ({ cookies }: SignedInClient) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** On both replicas. */
const countAccepted = async (headers: Record<string, string>, path: string): Promise<number> => {
  const responses = await Promise.all(urls.map((url) => fetch(url + path, { headers })))
  return responses.filter(({ ok }) => ok).length
}
const countKeyAccepted = (secret: string) => countAccepted({ authorization: `Bearer ${secret}` }, '/v2/me')
const countSessionAccepted = (client: SignedInClient) => countAccepted({ cookie: cookieOf(client) }, '/v2/projects')

test('lists people, with the projects that would have no other owner', async () => {
  const { people, nextCursor } = await operator.client.people.list({ limit: 2 })
  expect(people).toMatchObject([
    { email: person.email, isOperator: false, disabledAt: null, projectCount: 1, soleOwnerOf: [] },
    { email: owner.email },
  ])
  expect(nextCursor).toBe(people[1]?.id)
  const { members } = await owner.client.members.list(project.projectId)
  const ownerMember = members.find(({ email }) => email === owner.email)
  await person.client.members.changeRole(project.projectId, ownerMember?.id ?? '', { role: 'viewer' })
  const after = await operator.client.people.list({ limit: 1 })
  expect(after.people).toMatchObject([{ soleOwnerOf: [{ id: project.projectId, name: 'A project' }] }])
})

describe('a disabled person', () => {
  test('has no access at once, on every replica, and nothing of others stops', async () => {
    const key = await createKey(person.client)
    const child = await api.clientWith(key.secret).keys.create(project.projectId, {
      name: 'child',
      scopes: ['agent:read'],
    })
    const ofOwner = await createKey(owner.client)
    const runner = await person.client.runners.create(project.projectId, { name: 'r' })
    const link = await api.stores.people.createPasswordResetToken(person.email)
    expect(await countSessionAccepted(person)).toBe(2)
    const { created } = await operator.client.people.listCreated(personId)
    expect(created.map(({ id, projectId }) => [id, projectId])).toEqual(
      [key.key.id, child.key.id, runner.runner.id].map((id) => [id, project.projectId]),
    )

    const disabled = await operator.client.people.disable(personId)
    expect(disabled).toMatchObject({ id: personId, disabledAt: expect.any(String), lastSignInAt: null })
    expect(await countSessionAccepted(person)).toBe(0)
    for (const { secret } of [key, child]) expect(await countKeyAccepted(secret)).toBe(0)
    const browser = createBrowserClient(api.url, api.url.replace('127.0.0.1', 'localhost')).client
    await expect(browser.session.signIn(person.login)).rejects.toMatchObject({
      code: 'unauthenticated',
      detail: expect.stringContaining('disabled'),
    })
    const reset = { token: link, newPassword: 'another long sentence' }
    await expect(browser.session.resetPassword(reset)).rejects.toMatchObject({ code: 'not_found' })
    expect((await owner.client.runners.list(project.projectId)).runners).toEqual([])
    expect([await countSessionAccepted(owner), await countKeyAccepted(ofOwner.secret)]).toEqual([2, 2])
    const { members } = await owner.client.members.list(project.projectId)
    expect(members.find(({ email }) => email === person.email)).toMatchObject({ isDisabled: true })
    const { entries } = await owner.client.audit.list(project.projectId, { limit: 1 })
    expect(entries).toMatchObject([
      { actor: operator.email, action: 'member.disabled', detail: { email: person.email } },
    ])

    await operator.client.people.enable(personId)
    await browser.session.signIn(person.login)
    expect((await browser.projects.list()).projects).toMatchObject([{ id: project.projectId, role: 'owner' }])
    expect(await countKeyAccepted(key.secret), 'stays revoked').toBe(0)
  })

  test('leaves what the operator keeps', async () => {
    const kept = await createKey(person.client, ['agent:read'])
    const lost = await createKey(person.client)
    await operator.client.people.disable(personId, { keep: [kept.key.id] })
    expect([await countKeyAccepted(kept.secret), await countKeyAccepted(lost.secret)]).toEqual([2, 0])
  })

  test('does not count as an owner who remains', async () => {
    await operator.client.people.disable(personId)
    const { members } = await owner.client.members.list(project.projectId)
    const id = members.find(({ email }) => email === owner.email)?.id ?? ''
    await expect(owner.client.members.remove(project.projectId, id)).rejects.toMatchObject({
      detail: expect.stringContaining('last owner'),
    })
  })

  test('gets no session by signing in at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const late = await api.signIn({ projectId: project.projectId, role: 'viewer' })
      const lateId = await api.stores.accounts.findIdByEmail(late.email)
      const browser = createBrowserClient(api.url, api.url.replace('127.0.0.1', 'localhost'))
      await Promise.allSettled([browser.client.session.signIn(late.login), operator.client.people.disable(lateId)])
      expect((await browser.client.session.get()).person).toBeNull()
    }
  })
})

describe('a deleted person', () => {
  test('is replaced by an ID in the audit log, and can be invited again', async () => {
    const { key, secret } = await createKey(person.client)
    await operator.client.people.delete(personId)
    expect([await countSessionAccepted(person), await countKeyAccepted(secret)]).toEqual([0, 0])
    const { entries } = await owner.client.audit.list(project.projectId, { limit: 250 })
    expect(JSON.stringify(entries)).not.toContain(person.email)
    expect(entries.find(({ action, subject }) => action === 'key.created' && subject === key.id)).toMatchObject({
      actor: personId,
    })
    expect(entries.find(({ action }) => action === 'member.removed')).toMatchObject({ detail: { email: personId } })
    const { keys } = await owner.client.keys.list(project.projectId)
    expect(keys.find(({ id }) => id === key.id)).toMatchObject({ createdBy: personId })
    const { rows } = await api.pool.query(
      `SELECT table_name FROM information_schema.columns
       WHERE table_schema = current_schema() AND column_name IN ('email', 'actor', 'created_by', 'taken_over_by', 'invited_by')`,
    )
    for (const { table_name } of rows)
      expect(
        (await api.pool.query(`SELECT FROM ${table_name} AS row WHERE row::text LIKE '%' || $1 || '%'`, [person.email]))
          .rowCount,
        table_name,
      ).toBe(0)
    await owner.client.invitations.create(project.projectId, { email: person.email, role: 'viewer' })
  })

  test('who is the last owner of a project hands it over', async () => {
    const { members } = await person.client.members.list(project.projectId)
    const ownerMember = members.find(({ email }) => email === owner.email)?.id ?? ''
    await person.client.members.changeRole(project.projectId, ownerMember, { role: 'viewer' })
    await expect(operator.client.people.delete(personId)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('A project'),
    })
    for (const newOwnerId of [personId, newId('per')])
      await expect(operator.client.people.delete(personId, { newOwnerId })).rejects.toMatchObject({})
    expect(await countSessionAccepted(person), 'nothing has changed').toBe(2)
    const newOwnerId = await api.stores.accounts.findIdByEmail(owner.email)
    await operator.client.people.delete(personId, { newOwnerId })
    expect((await owner.client.members.list(project.projectId)).members).toMatchObject([
      { email: owner.email, role: 'owner' },
    ])
  })

  test('is the only exception to the insert-only audit log', async () => {
    const client = await api.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query("SELECT set_config('colophon.anonymized_email', 'x@example.com', true)")
      await client.query("SELECT set_config('colophon.anonymized_as', 'per_x', true)")
      await expect(client.query("UPDATE audit_entry SET action = 'nothing'")).rejects.toThrow('insert only')
      await client.query('ROLLBACK')
      await client.query('BEGIN')
      await client.query("SELECT set_config('colophon.anonymized_email', 'x@example.com', true)")
      await expect(client.query('DELETE FROM audit_entry')).rejects.toThrow('insert only')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})

test('ends all sessions of a person', async () => {
  expect(await operator.client.people.endSessions(personId)).toEqual({ endedSessions: 1 })
  expect(await countSessionAccepted(person)).toBe(0)
  const { entries } = await operator.client.audit.listInstance({ limit: 1 })
  expect(entries).toMatchObject([
    {
      actor: operator.email,
      action: 'person.sessions_ended',
      subject: personId,
      detail: { email: person.email, sessions: 1 },
    },
  ])
})

test('grants and revokes the operator right, but never of the last operator', async () => {
  const operatorId = await api.stores.accounts.findIdByEmail(operator.email)
  const last = { code: 'invalid_request', detail: expect.stringContaining('last operator') }
  await expect(operator.client.people.revokeOperator(operatorId)).rejects.toMatchObject(last)
  expect(await operator.client.people.addOperator(personId)).toMatchObject({ isOperator: true })
  await expect(person.client.people.list({ limit: 1 })).resolves.toMatchObject({ people: [{ isOperator: true }] })
  const both = await Promise.allSettled([
    operator.client.people.revokeOperator(personId),
    person.client.people.revokeOperator(operatorId),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await api.stores.accounts.setOperator(operatorId, true, { kind: 'operator' })
  await api.stores.accounts.setOperator(personId, false, { kind: 'operator' })
  await expect(person.client.people.list()).rejects.toMatchObject({ code: 'insufficient_role' })
  await expect(api.stores.accounts.disable(operatorId, { kind: 'operator' })).rejects.toMatchObject(last)
  await expect(api.stores.accounts.delete(operatorId, { kind: 'operator' })).rejects.toMatchObject(last)
})

test('operators cannot disable or delete themselves, and unknown people are not found', async () => {
  const operatorId = await api.stores.accounts.findIdByEmail(operator.email)
  for (const change of [operator.client.people.disable, operator.client.people.delete]) {
    await expect(change(operatorId)).rejects.toMatchObject({ code: 'invalid_request' })
    for (const id of [newId('per'), 'nonsense']) await expect(change(id)).rejects.toMatchObject({ code: 'not_found' })
  }
})
