/** Who may no longer, may no longer at once: also where a request or its answer takes long. */
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { type SignedIn, startRunningApi, type TestProject } from '../../../dev-services/running-api.ts'
import { newId } from '../platform/ids.ts'

const api = await startRunningApi(inject('services'), 'api admit')
afterAll(() => api.drop())

const origin = api.url.replace('127.0.0.1', 'localhost')
const cookieOf = ({ cookies }: SignedIn) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

async function makeJob({ projectId }: TestProject): Promise<string> {
  const id = newId('job')
  await api.pool.query(
    `INSERT INTO job (project_id, id, status, repository, ref, model, publish)
     VALUES ($1, $2, 'active', 'a/b', 'main', 'm', 'diff')`,
    [projectId, id],
  )
  return id
}

const leaving = [
  {
    what: 'sign out',
    leave: async ({ person }: Left) => void (await person.client.session.signOut()),
    who: 'person',
    status: 401,
  },
  {
    what: 'are removed from the project',
    leave: async ({ person }: Left) =>
      void (await api.pool.query('DELETE FROM project_member WHERE email = $1', [person.email])),
    who: 'person',
    status: 404,
  },
  {
    what: 'lose their key',
    leave: async ({ project, keyId }: Left) => void (await project.client.keys.revoke(project.projectId, keyId)),
    who: 'key',
    status: 401,
  },
  {
    what: 'have a key that expires',
    leave: async ({ keyId }: Left) =>
      void (await api.pool.query('UPDATE api_key SET expires_at = now() WHERE id = $1', [keyId])),
    who: 'key',
    status: 401,
  },
] as const

interface Left {
  project: TestProject
  person: SignedIn
  keyId: string
}

test.concurrent.each(leaving)('the stream of those who $what ends', { timeout: 30_000 }, async (one) => {
  const project = await api.makeProject()
  const job = await makeJob(project)
  const person = await api.signIn({ projectId: project.projectId, role: 'viewer' })
  const { key, secret } = await api.makeKey(project.projectId)
  const headers = {
    accept: 'text/event-stream',
    ...(one.who === 'person' ? { cookie: cookieOf(person) } : { authorization: `Bearer ${secret}` }),
  }
  const open = () => fetch(`${api.url}/v2/agent/${project.projectId}/job/${job}/events`, { headers })
  const stream = await open()
  expect(stream.status).toBe(200)
  expect(stream.headers.get('cache-control')).toBe('no-store')
  let ended = false
  const reading = stream.text().then(
    () => 'ended',
    () => 'cut',
  )
  void reading.then(() => {
    ended = true
  })
  await sleep(7_000)
  expect(ended, 'goes on for those who may').toBe(false)
  await one.leave({ project, person, keyId: key.id })
  expect(await Promise.race([reading, sleep(9_000, 'goes on')])).toBe('cut')
  expect((await open()).status).toBe(one.status)
})

test('a role that was lowered while the body came is the lower one', async () => {
  const { projectId } = await api.makeProject()
  const person = await api.signIn({ projectId, role: 'owner' })
  const body = JSON.stringify({ name: 'Renamed' })
  const asking = httpRequest(`${api.url}/v2/projects/${projectId}`, {
    method: 'PATCH',
    headers: { cookie: cookieOf(person), origin, 'content-type': 'application/json', 'content-length': body.length },
  })
  const answered = new Promise<number | undefined>((resolve, reject) => {
    asking.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
  })
  asking.write(body.slice(0, 5))
  await sleep(500)
  await api.pool.query("UPDATE project_member SET role = 'viewer' WHERE email = $1", [person.email])
  asking.end(body.slice(5))
  expect(await answered).toBe(403)
})

test('who gets in, and where the code is, is changed in a fresh session alone', async () => {
  const { projectId, client: withKey } = await api.makeProject()
  const { client, email } = await api.signIn({ projectId, role: 'owner' })
  const member = await withKey.members.add(projectId, { email: 'writer@example.com', role: 'viewer' })
  await api.pool.query(
    `UPDATE person_session SET created_at = now() - interval '11 minutes'
     WHERE person_id = (SELECT id FROM person WHERE email = $1)`,
    [email],
  )
  const somebody = { email: 'other@example.com', role: 'viewer' } as const
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
    invite: () => client.invitations.create(projectId, somebody),
    add: () => client.members.add(projectId, somebody),
    raise: () => client.members.changeRole(projectId, member.id, { role: 'owner' }),
    connect: () => client.repository.connect(projectId, repository),
  }))
    await expect(act(), what).rejects.toMatchObject({ code: 'reauthentication_required' })
})

test('answers for one caller are in no cache, and a job that is unchanged is still told apart', async () => {
  const project = await api.makeProject()
  const { projectId, secret } = project
  const authorization = `Bearer ${secret}`
  const url = `${api.url}/v2/agent/${projectId}/job/${await makeJob(project)}`
  const first = await fetch(url, { headers: { authorization } })
  expect(first.headers.get('cache-control')).toBe('no-store')
  const etag = first.headers.get('etag') ?? ''
  const again = await fetch(url, { headers: { authorization, 'if-none-match': etag } })
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'no-store'])
  const refused = await fetch(url)
  expect([refused.status, refused.headers.get('cache-control')]).toEqual([401, 'no-store'])
  expect((await fetch(`${api.url}/healthz`)).headers.get('cache-control')).not.toBe('no-store')
})
