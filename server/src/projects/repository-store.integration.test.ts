import { afterAll, expect, inject, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
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
  access: { hostRepositoryId: number; installationId: number } | { hostRepositoryId: number | null },
): Promise<Repository> {
  const location = { host: 'github' as const, baseUrl, owner: 'docs', name: 'site' }
  const settings = { baseBranch: 'main', docsFolder: '', publishing: {} }
  const { hostRepositoryId } = access
  if ('installationId' in access) {
    const { installationId } = access
    await repositories.connect(
      projectId,
      {
        ...location,
        ...settings,
        access: { kind: 'installation', installationId },
        hostRepositoryId: access.hostRepositoryId,
      },
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
      { ...location, ...settings, access: { kind: 'token', credentialId }, hostRepositoryId },
      operator,
    )
  }
  return find(projectId)
}

async function find(projectId: Id<'prj'>): Promise<Repository> {
  const repository = await repositories.find(projectId)
  if (!repository) throw new Error('the project has no repository')
  return repository
}

const auditEntriesOf = async (projectId: Id<'prj'>) =>
  (await audit.list(projectId, { limit: 10, before: undefined })).map(({ action, actor, detail }) => ({
    action,
    actor,
    detail,
  }))

test('finds a repository that was connected by token or App, and deletes unused tokens', async () => {
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
  expect(await tokens(), 'only the token in use is kept').toEqual([
    { id: access.kind === 'token' && access.credentialId },
  ])
  const both = 'UPDATE repository SET installation_id = 3 WHERE project_id = $1'
  await expect(instance.pool.query(both, [projectId])).rejects.toThrow('repository_has_one_kind_of_access')
  const unnumbered = 'UPDATE repository SET installation_id = 3, token_credential_id = NULL WHERE project_id = $1'
  await expect(instance.pool.query(unnumbered, [projectId])).rejects.toThrow('repository_of_app_has_number')
})

test('a poll records the ID, a new name and an issue, and audits each change once', async () => {
  const projectId = await makeProject()
  const first = await connect(projectId, { hostRepositoryId: null })
  const observed = { issue: null, id: 42, owner: 'docs', name: 'site' } as const
  await repositories.recordPoll(projectId, first, observed)
  const identified = await find(projectId)
  expect(identified).toMatchObject({ hostRepositoryId: 42, issue: null })

  await repositories.recordPoll(projectId, identified, { ...observed, owner: 'people', name: 'handbook' })
  const renamed = await find(projectId)
  expect(renamed).toMatchObject({ owner: 'people', name: 'handbook' })
  for (let round = 0; round < 2; round++)
    await repositories.recordPoll(projectId, renamed, {
      issue: 'archived',
      id: 42,
      owner: 'people',
      name: 'handbook',
    })
  expect(await find(projectId)).toMatchObject({ issue: 'archived' })
  await repositories.recordPoll(projectId, renamed, { ...observed, owner: 'people', name: 'handbook' })
  expect(await find(projectId)).toMatchObject({ issue: null })
  expect((await auditEntriesOf(projectId)).slice(0, 3)).toEqual([
    { action: 'repository.issue_changed', actor: 'code-host', detail: { issue: null } },
    { action: 'repository.issue_changed', actor: 'code-host', detail: { issue: 'archived' } },
    { action: 'repository.renamed', actor: 'code-host', detail: { from: 'docs/site', to: 'people/handbook' } },
  ])
})

test('reports not_found if another repository has taken the name', async () => {
  const projectId = await makeProject()
  const connected = await connect(projectId, { hostRepositoryId: 42 })
  await repositories.recordPoll(projectId, connected, { issue: null, id: 43, owner: 'docs', name: 'site' })
  expect(await find(projectId)).toMatchObject({ hostRepositoryId: 42, issue: 'not_found' })
})

test('ignores a poll of a previous connection', async () => {
  const projectId = await makeProject()
  const before = await connect(projectId, { hostRepositoryId: 42 })
  await connect(projectId, { hostRepositoryId: 43 })
  await repositories.recordPoll(projectId, before, { issue: 'access_revoked' })
  expect(await find(projectId)).toMatchObject({ hostRepositoryId: 43, issue: null })
})

test('polls are due after connecting, on request, and after the interval', async () => {
  const first = await makeProject()
  const second = await makeProject()
  await connect(first, { hostRepositoryId: 1042, installationId: 30 })
  await connect(second, { hostRepositoryId: 1043, installationId: 30 })
  expect(await repositories.claimDuePolls(3_600, 100)).toEqual(expect.arrayContaining([first, second]))
  expect(await repositories.claimDuePolls(3_600, 100)).toEqual([])
  await repositories.requestPoll(await repositories.findProjects(baseUrl, { hostRepositoryId: 1043 }))
  expect(await repositories.claimDuePolls(3_600, 100)).toEqual([second])
  await repositories.requestPoll(await repositories.findProjects(baseUrl, { installationId: 30 }))
  expect((await repositories.claimDuePolls(3_600, 100)).sort()).toEqual([first, second].sort())
  expect(await repositories.findProjects(baseUrl, { installationId: 31 })).toEqual([])
  expect(await repositories.findProjects('https://github.com', { hostRepositoryId: 1043 })).toEqual([])
})

test('a delivery is new once per sender, and again if processing it failed', async () => {
  const results: boolean[] = []
  const body = Buffer.from('{"action":"closed"}')
  const work = async (isNew: boolean) => void results.push(isNew)
  await expect(
    deliveries.process('one', body, () => Promise.reject(new Error('PostgreSQL is unavailable'))),
  ).rejects.toThrow()
  await deliveries.process('one', body, work)
  await deliveries.process('one', body, work)
  await deliveries.process('another', body, work)
  expect(results).toEqual([true, false, true])
  await instance.pool.query("UPDATE webhook_delivery SET received_at = now() - interval '31 days' WHERE sender = 'one'")
  await deliveries.deleteExpired()
  expect((await instance.pool.query('SELECT sender FROM webhook_delivery')).rows).toEqual([{ sender: 'another' }])
})

test('a recognized site is kept until a setting that it depends on changes', async () => {
  const projectId = await makeProject()
  const polled = await connect(projectId, { hostRepositoryId: 7 })
  const site = { generator: 'mkdocs', configFile: 'mkdocs.yml', pagesFolder: 'docs' } as const
  expect(polled).toMatchObject({ rules: { siteGenerator: null }, site: null, siteRecognizedAt: null })
  await repositories.recordSite(projectId, polled, site)
  await repositories.change(projectId, { publishing: { draft: true } }, operator)
  expect(await find(projectId)).toMatchObject({ site, siteRecognizedAt: expect.any(Date) })

  await repositories.changeRules(projectId, { siteGenerator: 'hugo' }, operator)
  expect(await find(projectId)).toMatchObject({
    rules: { siteGenerator: 'hugo' },
    site: null,
    siteRecognizedAt: null,
  })
  await repositories.recordSite(projectId, polled, site) // recognized before the change
  expect(await find(projectId)).toMatchObject({ site: null })
  await repositories.changeRules(projectId, { siteGenerator: null }, operator)
  expect(await find(projectId)).toMatchObject({ rules: { siteGenerator: null }, site: null })
})
