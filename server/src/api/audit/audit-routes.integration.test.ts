import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api audit')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject('Zero')
for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await client.projects.rename(projectId, { name })

test('lists entries newest first, back to the creation of the project', async () => {
  const { entries, nextCursor } = await client.audit.list(projectId)
  expect(nextCursor).toBeNull()
  expect(entries.map(({ action, actor, detail }) => [action, actor, detail.name])).toEqual([
    ...['Five', 'Four', 'Three', 'Two', 'One'].map((name) => ['project.renamed', key.id, name]),
    ['key.created', 'operator', 'a key'],
    ['project.created', 'operator', 'Zero'],
  ])
  expect(entries.at(-1)).toEqual({
    id: expect.stringMatching(/^aud_/),
    at: expect.stringMatching(/Z$/),
    actor: 'operator',
    action: 'project.created',
    subject: projectId,
    detail: { name: 'Zero' },
    requestId: null,
    ipAddress: null,
  })
})

test.each([1, 2, 7, 250])('pages of %i contain every entry once', async (limit) => {
  const all = await client.audit.list(projectId)
  const paged: typeof all.entries = []
  let cursor: string | null = null
  do {
    const page: typeof all = await client.audit.list(projectId, { limit, ...(cursor !== null && { cursor }) })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    paged.push(...page.entries)
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(paged).toEqual(all.entries)
})

test('new entries do not shift the pages', async () => {
  const first = await client.audit.list(projectId, { limit: 3 })
  const nextPage = { limit: 3, cursor: first.nextCursor ?? '' }
  const second = await client.audit.list(projectId, nextPage)
  await client.projects.rename(projectId, { name: 'Six' })
  expect(await client.audit.list(projectId, nextPage)).toEqual(second)
})

test.each([{ limit: 0 }, { limit: 251 }, { limit: 1.5 }, { cursor: '' }, { cursor: 'aud_1' }, { cursor: projectId }])(
  'rejects %o and names the parameter',
  async (query) => {
    const [name] = Object.keys(query)
    await expect(client.audit.list(projectId, query)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [expect.objectContaining({ path: `query/${name}` })],
    })
  },
)

test('rejects a malformed cursor, and treats an unknown one as a position in the order', async () => {
  await expect(client.audit.list(projectId, { cursor: 'aud_0000000000000000000000000u' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const earliest = 'aud_00000000000000000000000000'
  expect(await client.audit.list(projectId, { cursor: earliest })).toEqual({ entries: [], nextCursor: null })
})

test('rejects callers without access, and keeps the entries of projects apart', async () => {
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read')) {
    await expect(client.audit.list(projectId), caller).rejects.toMatchObject({ code })
  }
  const others = await api.createProject()
  expect((await others.client.audit.list(others.projectId)).entries).toHaveLength(2)
})
