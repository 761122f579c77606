/** What a person or an API key created is revoked when they lose access, unless someone takes it over. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import type { Client } from '../../../../sdk/src/index.ts'
import { createBrowserClient } from '../../../../testing/harness/browser-client.ts'
import { type SignedInClient, startTestApi, type TestProject } from '../../../../testing/harness/test-api.ts'
import { hashKey, parseKeyWithPrefix } from '../../keys/key-format.ts'
import { type Scope, scopes } from '../../keys/scopes.ts'

const api = await startTestApi(inject('services'), 'api leaving')
afterAll(() => api.drop())

let project: TestProject
let owner: SignedInClient
let leaving: SignedInClient
let memberId: string

beforeEach(async () => {
  project = await api.createProject()
  owner = await api.signIn({ projectId: project.projectId, role: 'owner' })
  leaving = await api.signIn({ projectId: project.projectId, role: 'owner' })
  const { members } = await project.client.members.list(project.projectId)
  memberId = members.find(({ email }) => email === leaving.email)?.id ?? ''
})

async function isKeyValid(secret: string): Promise<boolean> {
  return api
    .clientWith(secret)
    .me()
    .then(
      () => true,
      () => false,
    )
}

async function isRunnerValid(token: string): Promise<boolean> {
  const parsed = parseKeyWithPrefix('colophon_runner_', token)
  return parsed !== undefined && (await api.stores.runners.findByTokenHash(hashKey(parsed))) !== undefined
}

const isLinkValid = ({ url }: { url: string | null }): Promise<boolean> =>
  createBrowserClient(api.url, api.url.replace('127.0.0.1', 'localhost'))
    .client.invitations.lookUp({ token: new URL(url ?? '').hash.slice(1) })
    .then(
      () => true,
      () => false,
    )

/** One of each kind, created directly and with a key. */
async function createAccess(client: Client) {
  const { projectId } = project
  const createKey = (by: Client, name: string, granted: readonly Scope[] = scopes) =>
    by.keys.create(projectId, { name, scopes: [...granted] })
  const invite = (by: Client) =>
    by.invitations.create(projectId, { email: `${crypto.randomUUID()}@example.com`, role: 'viewer' })
  const key = await createKey(client, 'key')
  const withKey = api.clientWith(key.secret)
  const reading = await createKey(client, 'reading', ['agent:read'])
  return {
    key,
    reading,
    child: await createKey(withKey, 'child', ['agent:read']),
    runner: await client.runners.create(projectId, { name: 'runner' }),
    runnerOfKey: await withKey.runners.create(projectId, { name: 'runner of key' }),
    link: await invite(client),
    linkOfKey: await invite(withKey),
  }
}

type Access = Awaited<ReturnType<typeof createAccess>>

async function validity(access: Access) {
  return {
    key: await isKeyValid(access.key.secret),
    reading: await isKeyValid(access.reading.secret),
    child: await isKeyValid(access.child.secret),
    runner: await isRunnerValid(access.runner.token),
    runnerOfKey: await isRunnerValid(access.runnerOfKey.token),
    link: await isLinkValid(access.link),
    linkOfKey: await isLinkValid(access.linkOfKey),
  }
}

const everything = {
  key: true,
  reading: true,
  child: true,
  runner: true,
  runnerOfKey: true,
  link: true,
  linkOfKey: true,
}
const nothing = {
  key: false,
  reading: false,
  child: false,
  runner: false,
  runnerOfKey: false,
  link: false,
  linkOfKey: false,
}

test('shows who created a key, a runner and an invitation', async () => {
  const { key, child, runner, runnerOfKey, link, linkOfKey } = await createAccess(leaving.client)
  expect(key.key).toMatchObject({ createdBy: leaving.email, createdByKeyId: null, takenOverBy: null })
  expect(child.key).toMatchObject({ createdBy: key.key.id, createdByKeyId: key.key.id })
  expect(runner.runner).toMatchObject({ createdBy: leaving.email, takenOverBy: null })
  expect(runnerOfKey.runner).toMatchObject({ createdBy: key.key.id })
  expect([link.invitation.invitedBy, linkOfKey.invitation.invitedBy]).toEqual([leaving.email, key.key.id])
  expect((await project.client.keys.list(project.projectId)).keys.at(-1)).toMatchObject({ createdBy: 'operator' })
})

test('the migration takes the creators of existing keys and runners from the audit log', async () => {
  const { key, child, runner } = await createAccess(leaving.client)
  await api.pool.query('UPDATE api_key SET created_by = NULL')
  await api.pool.query('UPDATE runner SET created_by = NULL')
  const migration = readFileSync(join(import.meta.dirname, '../../../migrations/postgres/0018_leaving.sql'), 'utf8')
  const statements = migration.match(/^UPDATE [^;]*;/gm) ?? []
  expect(statements).toHaveLength(2)
  for (const statement of statements) await api.pool.query(statement)
  const { created } = await owner.client.members.listCreated(project.projectId, memberId)
  expect(created.map(({ id }) => id)).toEqual(expect.arrayContaining([key.key.id, child.key.id, runner.runner.id]))
})

test('revoking a key revokes the keys, runners and invitations that it created, and nothing else', async () => {
  const access = await createAccess(leaving.client)
  await owner.client.keys.revoke(project.projectId, access.key.key.id)
  expect(await validity(access)).toEqual({
    ...everything,
    key: false,
    child: false,
    runnerOfKey: false,
    linkOfKey: false,
  })
  const { entries } = await project.client.audit.list(project.projectId, { limit: 10 })
  expect(entries.find(({ action }) => action === 'runner.revoked')).toMatchObject({
    actor: owner.email,
    subject: access.runnerOfKey.runner.id,
    detail: { name: 'runner of key', because: access.key.key.id },
  })
})

describe('a removed member', () => {
  test('leaves nothing behind, and nothing of others stops', async () => {
    const ofOthers = await createAccess(owner.client)
    const access = await createAccess(leaving.client)
    const { created } = await owner.client.members.listCreated(project.projectId, memberId)
    expect(created.map(({ kind, name, createdBy }) => [kind, name, createdBy])).toEqual([
      ['key', 'key', leaving.email],
      ['key', 'reading', leaving.email],
      ['key', 'child', access.key.key.id],
      ['runner', 'runner', leaving.email],
      ['runner', 'runner of key', access.key.key.id],
      ['invitation', access.link.invitation.email, leaving.email],
      ['invitation', access.linkOfKey.invitation.email, access.key.key.id],
    ])
    await owner.client.members.remove(project.projectId, memberId)
    expect(await validity(access)).toEqual(nothing)
    expect(await validity(ofOthers)).toEqual(everything)
    await expect(project.client.me()).resolves.toMatchObject({ projectId: project.projectId })
    await expect(leaving.client.projects.get(project.projectId)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('leaves what another owner keeps, who has then taken it over', async () => {
    const access = await createAccess(leaving.client)
    const keep = [access.child.key.id, access.runner.runner.id, access.link.invitation.id]
    await owner.client.members.remove(project.projectId, memberId, { keep: keep.join(',') })
    expect(await validity(access)).toEqual({ ...nothing, child: true, runner: true, link: true })
    const { keys } = await owner.client.keys.list(project.projectId)
    expect(keys.find(({ id }) => id === access.child.key.id)).toMatchObject({
      createdBy: access.key.key.id,
      takenOverBy: owner.email,
    })
    const { entries } = await project.client.audit.list(project.projectId, { limit: 20 })
    expect(
      entries
        .filter(({ action }) => action.endsWith('.taken_over'))
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(keep.sort())

    const next = await api.signIn({ projectId: project.projectId, role: 'owner' })
    const { members } = await next.client.members.list(project.projectId)
    const ownerId = members.find(({ email }) => email === owner.email)?.id ?? ''
    const { created } = await next.client.members.listCreated(project.projectId, ownerId)
    expect(created.map(({ id }) => id).sort()).toEqual(keep)
    await next.client.members.remove(project.projectId, ownerId)
    expect(await validity(access)).toEqual(nothing)
  })

  test('keeps nothing for itself, for a key, or of others', async () => {
    const access = await createAccess(leaving.client)
    const ofOthers = await createAccess(owner.client)
    const keep = access.key.key.id
    const remove = (client: Client, kept: string) => client.members.remove(project.projectId, memberId, { keep: kept })
    await expect(remove(leaving.client, keep)).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(remove(project.client, keep)).rejects.toMatchObject({ code: 'insufficient_scope' })
    await expect(remove(owner.client, ofOthers.key.key.id)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await validity(access)).toEqual(everything)
  })

  test('cannot create a key or a runner while being removed', async () => {
    const { projectId } = project
    for (let round = 0; round < 5; round++) {
      const evil = await api.signIn({ projectId, role: 'owner' })
      const { members } = await project.client.members.list(projectId)
      const id = members.find(({ email }) => email === evil.email)?.id ?? ''
      const [key, runner, removed] = await Promise.allSettled([
        evil.client.keys.create(projectId, { name: 'late', scopes: ['agent:read'] }),
        evil.client.runners.create(projectId, { name: 'late' }),
        project.client.members.remove(projectId, id),
      ])
      expect(removed.status).toBe('fulfilled')
      if (key.status === 'fulfilled') expect(await isKeyValid(key.value.secret)).toBe(false)
      if (runner.status === 'fulfilled') expect(await isRunnerValid(runner.value.token)).toBe(false)
    }
  })
})

test('a demoted member keeps the keys that their new role allows', async () => {
  const access = await createAccess(leaving.client)
  const writing = await leaving.client.keys.create(project.projectId, { name: 'writing', scopes: ['agent:write'] })
  const { created } = await owner.client.members.listCreated(project.projectId, memberId, { role: 'viewer' })
  expect(created.map(({ id }) => id)).not.toContain(access.reading.key.id)
  expect(created.map(({ id }) => id)).toContain(writing.key.id)
  await owner.client.members.changeRole(project.projectId, memberId, { role: 'viewer', keep: [writing.key.id] })
  expect(await validity(access)).toEqual({ ...nothing, reading: true })
  expect(await isKeyValid(writing.secret)).toBe(true)
  expect((await owner.client.members.listCreated(project.projectId, memberId, { role: 'owner' })).created).toEqual([])
})

describe('the token of a runner', () => {
  test('expires after a year, or when its creator says', async () => {
    const { projectId } = project
    const { runner, token } = await owner.client.runners.create(projectId, { name: 'r' })
    const days = (Date.parse(runner.expiresAt ?? '') - Date.now()) / (24 * 3600 * 1000)
    expect(days).toBeCloseTo(365, 1)
    const forever = await owner.client.runners.create(projectId, { name: 'r', expiresInDays: null })
    expect(forever.runner.expiresAt).toBeNull()
    await api.pool.query("UPDATE runner SET expires_at = now() - interval '1 second' WHERE id = $1", [runner.id])
    expect(await isRunnerValid(token)).toBe(false)
    expect(await isRunnerValid(forever.token)).toBe(true)
  })

  test('is rotated with an overlap, in which both tokens are valid', async () => {
    const { projectId } = project
    const { runner, token } = await leaving.client.runners.create(projectId, { name: 'r' })
    const rotated = await owner.client.runners.rotateToken(projectId, runner.id, { overlapHours: 2 })
    expect(rotated.runner).toMatchObject({ createdBy: leaving.email, takenOverBy: owner.email })
    expect(Date.parse(rotated.runner.previousTokenExpiresAt ?? '') - Date.now()).toBeLessThanOrEqual(2 * 3600 * 1000)
    expect([await isRunnerValid(token), await isRunnerValid(rotated.token)]).toEqual([true, true])

    await owner.client.members.remove(projectId, memberId)
    expect([await isRunnerValid(token), await isRunnerValid(rotated.token)], 'the old one goes').toEqual([false, true])

    const again = await owner.client.runners.rotateToken(projectId, runner.id, { overlapHours: 0 })
    expect([await isRunnerValid(rotated.token), await isRunnerValid(again.token)]).toEqual([false, true])
    const { entries } = await project.client.audit.list(projectId, { limit: 1 })
    expect(entries).toMatchObject([{ action: 'runner.token_rotated', actor: owner.email, detail: { overlapHours: 0 } }])
  })

  test('cannot be rotated by a project that shares the runner, with a longer overlap, or once revoked', async () => {
    const { projectId } = project
    await api.createRunnerToken(undefined, 'shared')
    const { runners } = await owner.client.runners.list(projectId)
    const shared = runners.find(({ isShared }) => isShared)?.id ?? ''
    await expect(owner.client.runners.rotateToken(projectId, shared, {})).rejects.toMatchObject({
      code: 'insufficient_role',
    })
    const { runner } = await owner.client.runners.create(projectId, { name: 'r' })
    await expect(owner.client.runners.rotateToken(projectId, runner.id, { overlapHours: 169 })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await owner.client.runners.revoke(projectId, runner.id)
    await expect(owner.client.runners.rotateToken(projectId, runner.id, {})).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})
