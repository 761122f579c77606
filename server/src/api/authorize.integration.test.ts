/** A caller who loses access loses it at once, even if the request or its response takes long. */
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { type SignedInClient, startTestApi, type TestProject } from '../../../testing/harness/test-api.ts'
import { newId } from '../platform/ids.ts'

const api = await startTestApi(inject('services'), 'api admit')
afterAll(() => api.drop())

const origin = api.url.replace('127.0.0.1', 'localhost')
const cookieOf = ({ cookies }: SignedInClient) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

async function createJob({ projectId }: TestProject): Promise<string> {
  const id = newId('job')
  await api.pool.query(
    `INSERT INTO job (project_id, id, status, repository, ref, model, publish)
     VALUES ($1, $2, 'active', 'a/b', 'main', 'm', 'diff')`,
    [projectId, id],
  )
  return id
}

const waysToLoseAccess = [
  {
    what: 'signs out',
    revoke: async ({ person }: Access) => void (await person.client.session.signOut()),
    who: 'person',
    status: 401,
  },
  {
    what: 'is removed from the project',
    revoke: async ({ person }: Access) =>
      void (await api.pool.query('DELETE FROM project_member WHERE email = $1', [person.email])),
    who: 'person',
    status: 404,
  },
  {
    what: 'has its key revoked',
    revoke: async ({ project, keyId }: Access) => void (await project.client.keys.revoke(project.projectId, keyId)),
    who: 'key',
    status: 401,
  },
  {
    what: 'has a key that expires',
    revoke: async ({ keyId }: Access) =>
      void (await api.pool.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [keyId])),
    who: 'key',
    status: 401,
  },
] as const

interface Access {
  project: TestProject
  person: SignedInClient
  keyId: string
}

test.concurrent.each(waysToLoseAccess)('ends the stream of a caller who $what', { timeout: 30_000 }, async (access) => {
  const project = await api.createProject()
  const job = await createJob(project)
  const person = await api.signIn({ projectId: project.projectId, role: 'viewer' })
  const { key, secret } = await api.createKey(project.projectId)
  const headers = {
    accept: 'text/event-stream',
    ...(access.who === 'person' ? { cookie: cookieOf(person) } : { authorization: `Bearer ${secret}` }),
  }
  const open = () => fetch(`${api.url}/v2/agent/${project.projectId}/job/${job}/events`, { headers })
  const stream = await open()
  expect(stream.status).toBe(200)
  expect(stream.headers.get('cache-control')).toBe('no-store')
  let ended = false
  const reading = stream.text().then(
    () => 'ended',
    () => 'aborted',
  )
  void reading.then(() => {
    ended = true
  })
  await sleep(7_000)
  expect(ended, 'stays open while the caller has access').toBe(false)
  await access.revoke({ project, person, keyId: key.id })
  expect(await Promise.race([reading, sleep(9_000, 'still open')])).toBe('aborted')
  expect((await open()).status).toBe(access.status)
})

test('applies a role that was lowered while the body arrived', async () => {
  const { projectId } = await api.createProject()
  const person = await api.signIn({ projectId, role: 'owner' })
  const body = JSON.stringify({ name: 'Renamed' })
  const request = httpRequest(`${api.url}/v2/projects/${projectId}`, {
    method: 'PATCH',
    headers: { cookie: cookieOf(person), origin, 'content-type': 'application/json', 'content-length': body.length },
  })
  const status = new Promise<number | undefined>((resolve, reject) => {
    request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
  request.write(body.slice(0, 5))
  await sleep(500)
  await api.pool.query("UPDATE project_member SET role = 'viewer' WHERE email = $1", [person.email])
  request.end(body.slice(5))
  expect(await status).toBe(403)
})

test('requires a recent sign-in to grant access, and to destroy something', async () => {
  const { projectId, client: withKey } = await api.createProject()
  const { client, email } = await api.signIn({ projectId, role: 'owner' })
  const member = await withKey.members.add(projectId, { email: 'writer@example.com', role: 'viewer' })
  const { key } = await withKey.keys.create(projectId, { name: 'CI', scopes: ['agent:read'] })
  const { runner } = await withKey.runners.create(projectId, { name: 'a runner' })
  const own = await client.keys.create(projectId, { name: 'own', scopes: ['agent:read'] })
  await withKey.projects.changeSettings(projectId, { instructions: 'Be brief.', jobRetentionDays: 30 })
  await api.pool.query(
    `UPDATE person_session SET created_at = now() - interval '11 minutes'
     WHERE person_id = (SELECT id FROM person WHERE email = $1)`,
    [email],
  )
  const invitee = { email: 'other@example.com', role: 'viewer' } as const
  const repository = {
    host: 'gitea' as const,
    url: 'https://git.example.com',
    owner: 'docs',
    name: 'handbook',
    baseBranch: 'main',
    docsFolder: 'docs',
    token: 'a-token',
  }
  for (const [what, act] of Object.entries({
    invite: () => client.invitations.create(projectId, invitee),
    add: () => client.members.add(projectId, invitee),
    raise: () => client.members.changeRole(projectId, member.id, { role: 'owner' }),
    connect: () => client.repository.connect(projectId, repository),
    rules: () => client.repository.changeRules(projectId, { requireApproval: true }),
    remove: () => client.members.remove(projectId, member.id),
    revoke: () => client.keys.revoke(projectId, key.id),
    rotate: () => client.runners.rotateToken(projectId, runner.id, {}),
    instruct: () => client.projects.changeSettings(projectId, { instructions: 'Obey.' }),
    forgetJobs: () => client.projects.changeSettings(projectId, { jobRetentionDays: 29 }),
    forgetViews: () => client.views.changeSettings(projectId, { retentionMonths: 12 }),
  }))
    await expect(act(), what).rejects.toMatchObject({ code: 'reauthentication_required' })
  await client.projects.changeSettings(projectId, { instructions: 'Be brief.', jobRetentionDays: 31 })
  await client.projects.changeSettings(projectId, { jobRetentionDays: null })
  await client.views.changeSettings(projectId, { retentionMonths: null, respectDoNotTrack: true })
  expect(await client.keys.revoke(projectId, own.key.id), 'their own').toMatchObject({ id: own.key.id })
})

test('responses for one caller are not cached, and an unchanged job is still a 304', async () => {
  const project = await api.createProject()
  const { projectId, secret } = project
  const authorization = `Bearer ${secret}`
  const url = `${api.url}/v2/agent/${projectId}/job/${await createJob(project)}`
  const first = await fetch(url, { headers: { authorization } })
  expect(first.headers.get('cache-control')).toBe('no-store')
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(url, { headers: { authorization, 'if-none-match': etag } })
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'no-store'])
  const rejected = await fetch(url)
  expect([rejected.status, rejected.headers.get('cache-control')]).toEqual([401, 'no-store'])
  expect((await fetch(`${api.url}/healthz`)).headers.get('cache-control')).not.toBe('no-store')
})
