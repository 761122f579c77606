import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { newId } from '../../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api members')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject()
const ada = await client.members.add(projectId, { email: 'ada@example.com', role: 'owner' })

test('adds, lists, changes and removes a member, and audits each change', async () => {
  const { projectId, client, key } = await api.createProject()
  const added = await client.members.add(projectId, { email: 'writer@example.com', role: 'viewer' })
  expect(added).toEqual({
    id: expect.stringMatching(/^mbr_/),
    email: 'writer@example.com',
    role: 'viewer',
    createdAt: expect.stringMatching(/Z$/),
    hasJoined: false,
    isDisabled: false,
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

test('adding an existing member returns the member unchanged', async () => {
  expect(await client.members.add(projectId, { email: 'Ada@Example.com', role: 'viewer' })).toEqual(ada)
})

test('the last owner cannot be removed or demoted until there is another', async () => {
  const rejection = { code: 'invalid_request', detail: expect.stringContaining('last owner') }
  await expect(client.members.remove(projectId, ada.id)).rejects.toMatchObject(rejection)
  await expect(client.members.changeRole(projectId, ada.id, { role: 'viewer' })).rejects.toMatchObject(rejection)
  expect(await client.members.changeRole(projectId, ada.id, { role: 'owner' }), 'already an owner').toEqual(ada)

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
])('rejects %j as an email address', async (email) => {
  await expect(client.members.add(projectId, { email, role: 'viewer' })).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [expect.objectContaining({ path: 'body/email' })],
  })
})

test('rejects an unknown role', async () => {
  const king = { role: 'king' } as unknown as { role: 'owner' }
  const rejection = { code: 'invalid_request', errors: [expect.objectContaining({ path: 'body/role' })] }
  await expect(client.members.changeRole(projectId, ada.id, king)).rejects.toMatchObject(rejection)
  await expect(client.members.add(projectId, { email: 'king@example.com', ...king })).rejects.toMatchObject(rejection)
})

test('members of other projects and unknown IDs are not found', async () => {
  const others = await api.createProject()
  const theirs = await others.client.members.add(others.projectId, { email: 'b@example.com', role: 'viewer' })
  for (const id of [theirs.id, newId('mbr'), key.id, 'nonsense']) {
    await expect(client.members.remove(projectId, id)).rejects.toMatchObject({ code: 'not_found' })
    await expect(client.members.changeRole(projectId, id, { role: 'owner' })).rejects.toMatchObject({
      code: 'not_found',
    })
  }
  expect(await others.client.members.list(others.projectId)).toEqual({ members: [theirs], nextCursor: null })
})

test('rejects callers without access', async () => {
  const { id } = await client.members.add(projectId, { email: 'victim@example.com', role: 'owner' })
  const before = await client.members.list(projectId)
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read')) {
    await expect(client.members.list(projectId), caller).rejects.toMatchObject({ code })
  }
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    const stranger = { email: 'stranger@example.com', role: 'owner' as const }
    await expect(client.members.add(projectId, stranger), caller).rejects.toMatchObject({ code })
    await expect(client.members.changeRole(projectId, id, { role: 'viewer' }), caller).rejects.toMatchObject({ code })
    await expect(client.members.remove(projectId, id), caller).rejects.toMatchObject({ code })
  }
  expect(await client.members.list(projectId)).toEqual(before)
})
