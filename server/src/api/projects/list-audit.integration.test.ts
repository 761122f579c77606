import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'

const api = await startRunningApi(inject('services'), 'api audit')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject('Zero')
for (const name of ['One', 'Two', 'Three', 'Four', 'Five']) await client.projects.rename(projectId, { name })

test('entries come newest first, from the making of the project on', async () => {
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
  })
})

test.each([1, 2, 7, 250])('pages of %i hold every entry once', async (limit) => {
  const whole = await client.audit.list(projectId)
  const seen: typeof whole.entries = []
  let cursor: string | null = null
  do {
    const page: typeof whole = await client.audit.list(projectId, { limit, ...(cursor !== null && { cursor }) })
    expect(page.entries.length).toBeLessThanOrEqual(limit)
    seen.push(...page.entries)
    cursor = page.nextCursor
  } while (cursor !== null)
  expect(seen).toEqual(whole.entries)
})

test('entries that are written while somebody pages do not move the pages', async () => {
  const first = await client.audit.list(projectId, { limit: 3 })
  const rest = { limit: 3, cursor: first.nextCursor ?? '' }
  const second = await client.audit.list(projectId, rest)
  await client.projects.rename(projectId, { name: 'Six' })
  expect(await client.audit.list(projectId, rest)).toEqual(second)
})

test.each([{ limit: 0 }, { limit: 251 }, { limit: 1.5 }, { cursor: '' }, { cursor: 'aud_1' }, { cursor: projectId }])(
  '%o is refused by name',
  async (query) => {
    const [name] = Object.keys(query)
    await expect(client.audit.list(projectId, query)).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [expect.objectContaining({ path: `query/${name}` })],
    })
  },
)

test('a cursor that cannot be one is refused, and one that was never given out is a place in the order', async () => {
  await expect(client.audit.list(projectId, { cursor: 'aud_0000000000000000000000000u' })).rejects.toMatchObject({
    code: 'invalid_request',
  })
  const earliest = 'aud_00000000000000000000000000'
  expect(await client.audit.list(projectId, { cursor: earliest })).toEqual({ entries: [], nextCursor: null })
})

test('strangers are kept out, and another project has its own entries', async () => {
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:read')) {
    await expect(client.audit.list(projectId), who).rejects.toMatchObject({ code })
  }
  const others = await api.makeProject()
  expect((await others.client.audit.list(others.projectId)).entries).toHaveLength(2)
})
