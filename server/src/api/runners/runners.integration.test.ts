import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { hashOfKey, parseKey } from '../../keys/key-format.ts'
import { newId } from '../../platform/ids.ts'

const api = await startRunningApi(inject('services'), 'api runners')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject()
const { runners } = api.stores

test('one is made, seen, and revoked, and each is audited', async () => {
  const { runner, token, gatewayUrl } = await client.runners.create(projectId, { name: 'build machine 1' })
  expect(runner).toMatchObject({ name: 'build machine 1', isShared: false, isOnline: false, lastSeenAt: null })
  expect(gatewayUrl).toBe('http://localhost:8090')
  const known = parseKey('colophon_runner_', token)
  if (!known) throw new Error('no token')
  expect(await runners.find(hashOfKey(known)), 'gets turns of this project alone').toMatchObject({
    projectIds: [projectId],
  })
  expect((await client.runners.list(projectId)).runners).toMatchObject([{ id: runner.id, isOnline: true }])
  await api.pool.query("UPDATE runner SET last_seen_at = now() - interval '2 minutes' WHERE id = $1", [runner.id])
  expect((await client.runners.list(projectId)).runners).toMatchObject([{ id: runner.id, isOnline: false }])

  expect(await client.runners.revoke(projectId, runner.id)).toEqual({ runners: [] })
  expect(await client.runners.revoke(projectId, runner.id), 'once more').toEqual({ runners: [] })
  expect(await runners.find(hashOfKey(known))).toBeUndefined()
  const { entries } = await client.audit.list(projectId, { limit: 2 })
  expect(entries.map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
    ['runner.revoked', key.id, { name: 'build machine 1' }],
    ['runner.created', key.id, { name: 'build machine 1' }],
  ])
})

test('shared ones are shown, and are not for a project to revoke; those of others are not there', async () => {
  const others = await api.makeProject()
  const shared = await runners.create('shared', Buffer.alloc(32, 1), null)
  const ofTwo = await runners.create('of two', Buffer.alloc(32, 2), [projectId, others.projectId])
  const theirs = await runners.create('theirs', Buffer.alloc(32, 3), [others.projectId])
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

test('strangers are kept out', async () => {
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:read'))
    await expect(client.runners.list(projectId), who).rejects.toMatchObject({ code })
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:write')) {
    await expect(client.runners.create(projectId, { name: 'mine' }), who).rejects.toMatchObject({ code })
    await expect(client.runners.revoke(projectId, newId('run')), who).rejects.toMatchObject({ code })
  }
})
