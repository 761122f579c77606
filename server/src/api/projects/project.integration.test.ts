import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api projects')
afterAll(() => api.drop())

const { projectId, client, key } = await api.createProject('Handbook')

test('returns a project', async () => {
  expect(await client.projects.get(projectId)).toEqual({
    id: projectId,
    name: 'Handbook',
    createdAt: expect.stringMatching(/Z$/),
    pausedAt: null,
  })
})

test('renames a project and audits who did it', async () => {
  const name = 'Ünïcode 📖 docs'
  const renamed = await client.projects.rename(projectId, { name })
  expect(renamed).toMatchObject({ id: projectId, name })
  expect(await client.projects.get(projectId)).toEqual(renamed)
  expect((await client.audit.list(projectId, { limit: 1 })).entries).toMatchObject([
    { action: 'project.renamed', actor: key.id, subject: projectId, detail: { name } },
  ])
})

test('accepts names of 1 to 100 characters, counted as code points', async () => {
  const longest = '📖'.repeat(100)
  expect(await client.projects.rename(projectId, { name: longest })).toMatchObject({ name: longest })
  for (const name of ['', `${longest}x`]) {
    await expect(client.projects.rename(projectId, { name })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [expect.objectContaining({ path: 'body/name' })],
    })
  }
})

test('names a field that cannot be changed', async () => {
  const body = { name: 'New', createdAt: '2020-01-01T00:00:00Z' }
  await expect(client.projects.rename(projectId, body)).rejects.toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'body/createdAt', message: 'is not a known field' }],
  })
})

test('rejects callers without access', async () => {
  const before = await client.projects.get(projectId)
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:read')) {
    await expect(client.projects.get(projectId), caller).rejects.toMatchObject({ code })
  }
  for (const { name: caller, client, code } of await api.deniedCallers(projectId, 'project:write')) {
    await expect(client.projects.rename(projectId, { name: 'Mine now' }), caller).rejects.toMatchObject({ code })
  }
  expect(await client.projects.get(projectId)).toEqual(before)
})

test('a project that does not exist gets the same response as one without access', async () => {
  const others = await api.createProject()
  const rejections = await Promise.all(
    [others.projectId, 'prj_00000000000000000000000000', 'nonsense'].map((id) =>
      client.projects.get(id).catch(({ code, status, detail }) => ({ code, status, detail })),
    ),
  )
  expect(new Set(rejections.map((rejection) => JSON.stringify(rejection))).size).toBe(1)
  expect(rejections[0]).toMatchObject({ code: 'not_found', status: 404 })
})
