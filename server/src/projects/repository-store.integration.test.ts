import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../dev-services/test-instance.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { Repository } from './repository-store.ts'

const instance = await createTestInstance(inject('services'), 'repository store')
afterAll(() => instance.drop())
const { repositories, projects, audit, deliveries } = instance.stores
const operator = { kind: 'operator' } as const
const baseUrl = 'https://github.example.com'

const makeProject = async () => (await projects.create('Docs', operator)).id

async function connect(
  projectId: Id<'prj'>,
  way: { hostRepositoryId: number; installationId: number } | { hostRepositoryId: number | null },
): Promise<Repository> {
  const place = { host: 'github' as const, baseUrl, owner: 'docs', name: 'site' }
  const use = { baseBranch: 'main', docsFolder: '', publishing: {}, webhookSecret: 'secret' }
  if ('installationId' in way) {
    const access = { kind: 'installation' as const, installationId: way.installationId }
    await repositories.connect(
      projectId,
      { ...place, ...use, access, hostRepositoryId: way.hostRepositoryId },
      operator,
    )
  } else {
    const credentialId = newId('crd')
    await instance.pool.query(
      "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, $2, 'code-host-token', 'nothing')",
      [projectId, credentialId],
    )
    await repositories.connect(
      projectId,
      { ...place, ...use, access: { kind: 'token', credentialId }, hostRepositoryId: way.hostRepositoryId },
      operator,
    )
  }
  return find(projectId)
}

async function find(projectId: Id<'prj'>): Promise<Repository> {
  const found = await repositories.find(projectId)
  if (!found) throw new Error('it is gone')
  return found
}

const actsOf = async (projectId: Id<'prj'>) =>
  (await audit.list(projectId, { limit: 10, before: undefined })).map(({ action, actor, detail }) => ({
    action,
    actor,
    detail,
  }))

test('is found as it was connected, by a token or through an App, and keeps no other token', async () => {
  const projectId = await makeProject()
  expect(await connect(projectId, { hostRepositoryId: 42, installationId: 3 })).toMatchObject({
    access: { kind: 'installation', installationId: 3 },
    hostRepositoryId: 42,
    issue: null,
  })
  expect(await connect(projectId, { hostRepositoryId: null })).toMatchObject({
    access: { kind: 'token', credentialId: expect.any(String) },
    hostRepositoryId: null,
  })
  const tokens = async () =>
    (await instance.pool.query('SELECT id FROM credential WHERE project_id = $1', [projectId])).rows
  expect(await tokens()).toHaveLength(1)
  const { access } = await connect(projectId, { hostRepositoryId: null })
  expect(await tokens(), 'only the one that is used is kept').toEqual([
    { id: access.kind === 'token' && access.credentialId },
  ])
  const both = 'UPDATE repository SET installation_id = 3 WHERE project_id = $1'
  await expect(instance.pool.query(both, [projectId])).rejects.toThrow('repository_has_one_kind_of_access')
  const unnumbered = 'UPDATE repository SET installation_id = 3, token_credential_id = NULL WHERE project_id = $1'
  await expect(instance.pool.query(unnumbered, [projectId])).rejects.toThrow('repository_of_app_has_number')
})

test('a look finds its number, a new name, and trouble; each is said once', async () => {
  const projectId = await makeProject()
  const first = await connect(projectId, { hostRepositoryId: null })
  const seen = { issue: null, id: 42, owner: 'docs', name: 'site' } as const
  await repositories.recordLook(projectId, first, seen)
  const known = await find(projectId)
  expect(known).toMatchObject({ hostRepositoryId: 42, issue: null })

  await repositories.recordLook(projectId, known, { ...seen, owner: 'people', name: 'handbook' })
  const renamed = await find(projectId)
  expect(renamed).toMatchObject({ owner: 'people', name: 'handbook' })
  for (let time = 0; time < 2; time++)
    await repositories.recordLook(projectId, renamed, {
      issue: 'archived',
      id: 42,
      owner: 'people',
      name: 'handbook',
    })
  expect(await find(projectId)).toMatchObject({ issue: 'archived' })
  await repositories.recordLook(projectId, renamed, { ...seen, owner: 'people', name: 'handbook' })
  expect(await find(projectId)).toMatchObject({ issue: null })
  expect((await actsOf(projectId)).slice(0, 3)).toEqual([
    { action: 'repository.issue_changed', actor: 'code-host', detail: { issue: null } },
    { action: 'repository.issue_changed', actor: 'code-host', detail: { issue: 'archived' } },
    { action: 'repository.renamed', actor: 'code-host', detail: { from: 'docs/site', to: 'people/handbook' } },
  ])
})

test('another repository that has its name now is not the one that was connected', async () => {
  const projectId = await makeProject()
  const connected = await connect(projectId, { hostRepositoryId: 42 })
  await repositories.recordLook(projectId, connected, { issue: null, id: 43, owner: 'docs', name: 'site' })
  expect(await find(projectId)).toMatchObject({ hostRepositoryId: 42, issue: 'not_found' })
})

test('what was seen of an earlier connection does not count', async () => {
  const projectId = await makeProject()
  const before = await connect(projectId, { hostRepositoryId: 42 })
  await connect(projectId, { hostRepositoryId: 43 })
  await repositories.recordLook(projectId, before, { issue: 'access_revoked' })
  expect(await find(projectId)).toMatchObject({ hostRepositoryId: 43, issue: null })
})

test('looks are due when it is connected, when the host hints, and once an hour', async () => {
  const one = await makeProject()
  const two = await makeProject()
  await connect(one, { hostRepositoryId: 1042, installationId: 30 })
  await connect(two, { hostRepositoryId: 1043, installationId: 30 })
  expect(await repositories.takeDueLooks(3_600, 100)).toEqual(expect.arrayContaining([one, two]))
  expect(await repositories.takeDueLooks(3_600, 100)).toEqual([])
  await repositories.hintLook(await repositories.projectsOf(baseUrl, { hostRepositoryId: 1043 }))
  expect(await repositories.takeDueLooks(3_600, 100)).toEqual([two])
  await repositories.hintLook(await repositories.projectsOf(baseUrl, { installationId: 30 }))
  expect((await repositories.takeDueLooks(3_600, 100)).sort()).toEqual([one, two].sort())
  expect(await repositories.projectsOf(baseUrl, { installationId: 31 })).toEqual([])
  expect(await repositories.projectsOf('https://github.com', { hostRepositoryId: 1043 })).toEqual([])
})

test('a delivery is new once for its sender, and again if it came to nothing', async () => {
  const taken: boolean[] = []
  const body = Buffer.from('{"action":"closed"}')
  const work = async (isNew: boolean) => void taken.push(isNew)
  await expect(deliveries.take('one', body, () => Promise.reject(new Error('PostgreSQL is away')))).rejects.toThrow()
  await deliveries.take('one', body, work)
  await deliveries.take('one', body, work)
  await deliveries.take('another', body, work)
  expect(taken).toEqual([true, false, true])
  await instance.pool.query("UPDATE webhook_delivery SET received_at = now() - interval '31 days' WHERE sender = 'one'")
  await deliveries.forgetOld()
  expect((await instance.pool.query('SELECT sender FROM webhook_delivery')).rows).toEqual([{ sender: 'another' }])
})
