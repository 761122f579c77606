import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'

const api = await startRunningApi(inject('services'), 'api projects')
afterAll(() => api.drop())

const { projectId, client, key } = await api.makeProject('Handbook')

test('a project is seen with its name', async () => {
  expect(await client.projects.get(projectId)).toEqual({
    id: projectId,
    name: 'Handbook',
    createdAt: expect.stringMatching(/Z$/),
    pausedAt: null,
  })
})

test('a new name is kept, and the audit knows who gave it', async () => {
  const name = 'Ünïcode 📖 docs'
  const renamed = await client.projects.rename(projectId, { name })
  expect(renamed).toMatchObject({ id: projectId, name })
  expect(await client.projects.get(projectId)).toEqual(renamed)
  expect((await client.audit.list(projectId, { limit: 1 })).entries).toMatchObject([
    { action: 'project.renamed', actor: key.id, subject: projectId, detail: { name } },
  ])
})

test('a name has 1 to 100 characters, as people count them', async () => {
  const longest = '📖'.repeat(100)
  expect(await client.projects.rename(projectId, { name: longest })).toMatchObject({ name: longest })
  for (const name of ['', `${longest}x`]) {
    await expect(client.projects.rename(projectId, { name })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [expect.objectContaining({ path: 'body/name' })],
    })
  }
})

test('a field that cannot be changed is named', async () => {
  const body = { name: 'New', createdAt: '2020-01-01T00:00:00Z' }
  await expect(client.projects.rename(projectId, body)).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'body/createdAt', message: 'is not known here' }],
  })
})

test('strangers are kept out', async () => {
  const before = await client.projects.get(projectId)
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:read')) {
    await expect(client.projects.get(projectId), who).rejects.toMatchObject({ code })
  }
  for (const { who, client, code } of await api.strangersTo(projectId, 'project:write')) {
    await expect(client.projects.rename(projectId, { name: 'Mine now' }), who).rejects.toMatchObject({ code })
  }
  expect(await client.projects.get(projectId)).toEqual(before)
})

test('a project that does not exist looks like one that is not yours', async () => {
  const others = await api.makeProject()
  const refusals = await Promise.all(
    [others.projectId, 'prj_00000000000000000000000000', 'nonsense'].map((id) =>
      client.projects.get(id).catch(({ code, status, detail }) => ({ code, status, detail })),
    ),
  )
  expect(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size).toBe(1)
  expect(refusals[0]).toMatchObject({ code: 'not_found', status: 404 })
})
