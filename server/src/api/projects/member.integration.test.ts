import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'
import { newId } from '../../platform/ids.ts'

const api = await startRunningApi(inject('services'), 'api members')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject()
const ada = await client.members.add(projectId, { email: 'ada@example.com', role: 'owner' })

test('somebody is added, listed, changed and removed, and each is audited', async () => {
  const { projectId, client, key } = await api.makeProject()
  const added = await client.members.add(projectId, { email: 'writer@example.com', role: 'viewer' })
  expect(added).toEqual({
    id: expect.stringMatching(/^mbr_/),
    email: 'writer@example.com',
    role: 'viewer',
    createdAt: expect.stringMatching(/Z$/),
    hasJoined: false,
  })
  expect(await client.members.list(projectId)).toEqual({ members: [added], nextCursor: null })
  const changed = await client.members.changeRole(projectId, added.id, { role: 'editor' })
  expect(changed).toEqual({ ...added, role: 'editor' })
  expect(await client.members.remove(projectId, added.id)).toEqual(changed)
  expect(await client.members.list(projectId)).toEqual({ members: [], nextCursor: null })

  const { entries } = await client.audit.list(projectId, { limit: 3 })
  expect(entries.map(({ actor, subject }) => [actor, subject])).toEqual(Array(3).fill([key.id, added.id]))
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['member.removed', { email: 'writer@example.com' }],
    ['member.role_changed', { from: 'viewer', to: 'editor' }],
    ['member.added', { email: 'writer@example.com', role: 'viewer' }],
  ])
})

test('somebody who is there already is the answer, as they are', async () => {
  expect(await client.members.add(projectId, { email: 'Ada@Example.com', role: 'viewer' })).toEqual(ada)
})

test('the last owner stays one, until there is another', async () => {
  const refusal = { code: 'invalid_request', detail: expect.stringContaining('last owner') }
  await expect(client.members.remove(projectId, ada.id)).rejects.toMatchObject(refusal)
  await expect(client.members.changeRole(projectId, ada.id, { role: 'viewer' })).rejects.toMatchObject(refusal)
  expect(await client.members.changeRole(projectId, ada.id, { role: 'owner' }), 'is one already').toEqual(ada)

  const { id } = await client.members.add(projectId, { email: 'second@example.com', role: 'owner' })
  await client.members.changeRole(projectId, id, { role: 'editor' })
  await client.members.remove(projectId, id)
})

test.each([
  '',
  'nobody',
  'a@b@example.com',
  'a b@example.com',
  'Ada <ada@example.com>',
  `${'x'.repeat(65)}@example.com`,
])('%j is no address', async (email) => {
  await expect(client.members.add(projectId, { email, role: 'viewer' })).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [expect.objectContaining({ path: 'body/email' })],
  })
})

test('there is no fourth role', async () => {
  const king = { role: 'king' } as unknown as { role: 'owner' }
  const refusal = { code: 'invalid_request', errors: [expect.objectContaining({ path: 'body/role' })] }
  await expect(client.members.changeRole(projectId, ada.id, king)).rejects.toMatchObject(refusal)
  await expect(client.members.add(projectId, { email: 'king@example.com', ...king })).rejects.toMatchObject(refusal)
})

test('members of other projects, and who never was one, are not found', async () => {
  const others = await api.makeProject()
  const theirs = await others.client.members.add(others.projectId, { email: 'b@example.com', role: 'viewer' })
  for (const id of [theirs.id, newId('mbr'), key.id, 'nonsense']) {
    await expect(client.members.remove(projectId, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.members.changeRole(projectId, id, { role: 'owner' })).rejects.toMatchObject({
      code: 'not_found',
    })
  }
  expect(await others.client.members.list(others.projectId)).toEqual({ members: [theirs], nextCursor: null })
})

test('strangers are kept out', async () => {
  const { id } = await client.members.add(projectId, { email: 'victim@example.com', role: 'owner' })
  const before = await client.members.list(projectId)
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:read')) {
    await expect(client.members.list(projectId), who).rejects.toMatchObject({ code })
  }
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:write')) {
    const stranger = { email: 'stranger@example.com', role: 'owner' as const }
    await expect(client.members.add(projectId, stranger), who).rejects.toMatchObject({ code })
    await expect(client.members.changeRole(projectId, id, { role: 'viewer' }), who).rejects.toMatchObject({ code })
    await expect(client.members.remove(projectId, id), who).rejects.toMatchObject({ code })
  }
  expect(await client.members.list(projectId)).toEqual(before)
})
