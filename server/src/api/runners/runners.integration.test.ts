import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { operator } from '../../../../testing/harness/test-instance.ts'
import { hashKey, parseKeyWithPrefix } from '../../keys/key-format.ts'
import { type Id, newId } from '../../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api runners')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject()
const { runners } = api.stores

test('creates, lists and revokes a runner, and audits each change', async () => {
  const { runner, token, gatewayUrl } = await client.runners.create(projectId, { name: 'build machine 1' })
  expect(runner).toMatchObject({ name: 'build machine 1', isShared: false, isOnline: false, lastSeenAt: null })
  expect(gatewayUrl).toBe('http://localhost:8090')
  const runnerToken = parseKeyWithPrefix('colophon_runner_', token)
  if (!runnerToken) throw new Error('no token')
  expect(await runners.findByTokenHash(hashKey(runnerToken)), 'gets only turns of this project').toMatchObject({
    projectIds: [projectId],
  })
  expect((await client.runners.list(projectId)).runners).toMatchObject([{ id: runner.id, isOnline: true }])
  await api.pool.query("UPDATE runner SET last_seen_at = now() - interval '2 minutes' WHERE id = $1", [runner.id])
  expect((await client.runners.list(projectId)).runners).toMatchObject([{ id: runner.id, isOnline: false }])

  expect(await client.runners.revoke(projectId, runner.id)).toEqual({ runners: [] })
  expect(await client.runners.revoke(projectId, runner.id), 'revoking it again changes nothing').toEqual({
    runners: [],
  })
  expect(await runners.findByTokenHash(hashKey(runnerToken))).toBeUndefined()
  const { entries } = await client.audit.list(projectId, { limit: 2 })
  expect(entries.map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
    ['runner.revoked', key.id, { name: 'build machine 1' }],
    ['runner.created', key.id, { name: 'build machine 1', expiresAt: runner.expiresAt }],
  ])
})

test('lists shared runners but cannot revoke them, and hides runners of other projects', async () => {
  const others = await api.createProject()
  const createRunner = (name: string, projectIds: Id<'prj'>[] | null) =>
    runners.create({ name, tokenHash: randomBytes(32), projectIds, expiresAt: null }, operator)
  const shared = await createRunner('shared', null)
  const ofTwo = await createRunner('of two', [projectId, others.projectId])
  const theirs = await createRunner('theirs', [others.projectId])
  const { runners: listed } = await client.runners.list(projectId)
  expect(listed.map(({ name, isShared }) => [name, isShared])).toEqual([
    ['of two', true],
    ['shared', true],
  ])
  for (const { id } of [shared, ofTwo])
    await expect(client.runners.revoke(projectId, id)).rejects.toMatchObject({ code: 'insufficient_role' })
  for (const id of [theirs.id, newId('run'), 'nonsense'])
    await expect(client.runners.revoke(projectId, id)).rejects.toMatchObject({ code: 'not_found' })
  expect((await others.client.runners.list(others.projectId)).runners).toHaveLength(3)
})

test('rejects callers without access', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read'))
    await expect(client.runners.list(projectId), caller).rejects.toMatchObject({ code })
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(client.runners.create(projectId, { name: 'mine' }), caller).rejects.toMatchObject({ code })
    await expect(client.runners.revoke(projectId, newId('run')), caller).rejects.toMatchObject({ code })
  }
})

test('a project has at most 200 runners', async () => {
  const { projectId, client } = await api.createProject()
  const { runner } = await client.runners.create(projectId, { name: 'first' })
  await api.pool.query(
    `INSERT INTO runner (id, name, token_hash, project_ids)
     SELECT 'run_' || number || $1, 'more', sha256((number || $1)::bytea), ARRAY[$1] FROM generate_series(1, 199) AS number`,
    [projectId],
  )
  const another = () => client.runners.create(projectId, { name: 'another' })
  await expect(another()).rejects.toMatchObject({
    code: 'invalid_request',
    detail: expect.stringContaining('200 runners'),
  })
  await client.runners.revoke(projectId, runner.id)
  await another()
})
