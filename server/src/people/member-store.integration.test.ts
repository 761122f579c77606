import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'

const instance = await createTestInstance(inject('services'), 'member store', 'api')
afterAll(() => instance.drop())

const { members, projects, audit } = instance.stores
const operator = { kind: 'operator' } as const

async function projectWithOwners(count: number) {
  const { id: projectId } = await projects.create('Members', operator)
  const owners = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      members.add(projectId, { email: `owner-${index}@example.com`, role: 'owner' }, operator),
    ),
  )
  return { projectId, owners }
}

test('one owner remains if all owners leave at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const { projectId, owners } = await projectWithOwners(4)
    const outcomes = await Promise.allSettled(
      owners.map(({ id }, index) =>
        index % 2 === 0
          ? members.remove(projectId, id, operator)
          : members.changeRole(projectId, id, 'viewer', operator),
      ),
    )
    const rejected = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(rejected.map(({ reason }) => reason)).toMatchObject([
      { code: 'invalid_request', detail: expect.stringContaining('last owner') },
    ])
    expect(
      (await members.list(projectId, { limit: 250, before: undefined })).filter(({ role }) => role === 'owner'),
    ).toHaveLength(1)
  }
})

test('a project that never had an owner does not need one', async () => {
  const { projectId } = await projectWithOwners(0)
  const { id } = await members.add(projectId, { email: 'a@example.com', role: 'viewer' }, operator)
  await expect(members.remove(projectId, id, operator)).resolves.toMatchObject({ id })
})

test('adding a person several times at once creates one member and one audit entry', async () => {
  const { projectId } = await projectWithOwners(0)
  const spellings = ['a@example.com', 'A@example.com', 'a@EXAMPLE.com', 'A@Example.Com']
  const added = await Promise.all(spellings.map((email) => members.add(projectId, { email, role: 'editor' }, operator)))
  expect(new Set(added.map(({ id }) => id)).size).toBe(1)
  expect(await members.list(projectId, { limit: 250, before: undefined })).toEqual([added[0]])
  const entries = await audit.list(projectId, { limit: 10, before: undefined })
  expect(entries.filter(({ action }) => action === 'member.added')).toHaveLength(1)
})

test('setting the role that a member already has is not audited', async () => {
  const { projectId, owners } = await projectWithOwners(1)
  const [owner] = owners
  expect(await members.changeRole(projectId, owner?.id ?? '', 'owner', operator)).toEqual(owner)
  const [newest] = await audit.list(projectId, { limit: 1, before: undefined })
  expect(newest?.action).toBe('member.added')
})

test('a rejected change is not audited', async () => {
  const { projectId, owners } = await projectWithOwners(1)
  const before = await audit.list(projectId, { limit: 10, before: undefined })
  await expect(members.remove(projectId, owners[0]?.id ?? '', operator)).rejects.toThrow('last owner')
  expect(await audit.list(projectId, { limit: 10, before: undefined })).toEqual(before)
})
