import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../../dev-services/test-instance.ts'
import { recordAudit } from '../../audit/audit-store.ts'
import { webhookReaders } from '../../code-hosts/open-code-host.ts'
import { createHttpServer, type HttpServer } from '../../platform/http/http-server.ts'
import { addJsonBody } from '../../platform/http/json-body.ts'
import { type Id, newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createDatabase } from '../../platform/postgres.ts'
import { createSealer, type Sealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'
import { CredentialStore } from '../../projects/credential-store.ts'
import { addHooks } from './receive-hook.ts'

const operator = { kind: 'operator' } as const
let instance: TestInstance
let server: HttpServer
let projectId: Id<'prj'>
let sealer: Sealer

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'hooks')
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.mistakes.join())
  sealer = createSealer(parsed.keys)
  projectId = (await instance.stores.projects.create('Docs', operator)).id
  const credentials = new CredentialStore(createDatabase(instance.pool), sealer, recordAudit)
  const where = { host: 'gitea', baseUrl: 'https://git.example.com', owner: 'docs', name: 'site' } as const
  await instance.stores.repositories.connect(
    projectId,
    {
      ...where,
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      webhookSecret: 'the secret',
      access: {
        kind: 'token',
        credentialId: await credentials.put(projectId, 'code-host-token', 'token', operator),
      },
      hostRepositoryId: 42,
    },
    operator,
  )
  server = createHttpServer(
    { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 },
    createLog('test', { level: 'error' }),
  )
  addJsonBody(server) // as in the api: it keeps from a route the body that it does not ask for
  addHooks(server, {
    ...instance.stores,
    readHook: (host, delivery, secret) => webhookReaders[host](delivery, secret),
  })
})
afterAll(async () => {
  await server.close()
  await instance.drop()
})

const baseUrl = 'https://github.example.com'
const pullRequest = (number: number) => JSON.stringify({ action: 'closed', number, repository: { id: 42 } })

const signed = (secret: string, payload: string) => createHmac('sha256', secret).update(payload).digest('hex')

const deliver = (to: string, payload: string, headers: Record<string, string>) =>
  server.inject({
    method: 'POST',
    url: `/v1/webhooks/${to}`,
    payload,
    headers: { 'content-type': 'application/json', ...headers },
  })
const deliverGitea = (to: string, payload: string, secret: string) =>
  deliver(to, payload, { 'x-gitea-event': 'pull_request', 'x-gitea-signature': signed(secret, payload) })
const deliverGithub = (event: string, payload: string, secret: string, to = 'github') =>
  deliver(to, payload, {
    'x-github-event': event,
    'x-github-delivery': crypto.randomUUID(),
    'x-hub-signature-256': `sha256=${signed(secret, payload)}`,
  })

/** Which projects' repositories are to be looked at, and which jobs' pull requests; none is afterwards. */
async function takeHints() {
  const looks = await instance.stores.repositories.takeDueLooks(3_600, 100)
  const { rows } = await instance.pool.query(
    'UPDATE job SET pull_request_poll_at = NULL WHERE pull_request_poll_at IS NOT NULL RETURNING pull_request_number AS number',
  )
  return { looks: looks.sort(), pullRequests: rows.map(({ number }) => Number(number)).sort() }
}

const deliveriesKept = async () =>
  (await instance.pool.query('SELECT count(*)::int AS kept FROM webhook_delivery')).rows[0].kept

/** Through an App of GitHub. */
async function connectThroughApp(at: string, { id, installationId }: { id: number; installationId: number }) {
  const project = (await instance.stores.projects.create('Docs', operator)).id
  await instance.stores.repositories.connect(
    project,
    {
      host: 'github',
      baseUrl: at,
      owner: 'docs',
      name: 'site',
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      webhookSecret: 'given to nobody',
      hostRepositoryId: id,
      access: { kind: 'installation', installationId },
    },
    operator,
  )
  return project
}

async function makePullRequest(project: Id<'prj'>, number: number, branch: string) {
  await instance.pool.query(
    `INSERT INTO job (project_id, id, status, model, repository, ref, publish, pull_request_number, pull_request_branch,
       pull_request_state) VALUES ($1, $2, 'completed', 'm', 'docs/site', 'main', 'pull_request', $3, $4, 'open')`,
    [project, newId('job'), number, branch],
  )
}

test('a hint with the right signature is taken', async () => {
  await makePullRequest(projectId, 7, 'colophon/7')
  await takeHints()
  expect((await deliverGitea(projectId, pullRequest(7), 'the secret')).statusCode).toBe(204)
  expect(await takeHints()).toEqual({ looks: [], pullRequests: [7] })
})

test('the same body once more is taken, and comes to nothing', async () => {
  expect((await deliverGitea(projectId, pullRequest(7), 'the secret')).statusCode).toBe(204)
  expect(await takeHints()).toEqual({ looks: [], pullRequests: [] })
})

test('a forged one is not taken, nor one for a project that does not exist: nobody can tell which', async () => {
  const responses = [
    await deliverGitea(projectId, pullRequest(8), 'another secret'),
    await deliverGitea('prj_00000000000000000000000000', pullRequest(8), 'the secret'),
    await deliverGitea('nonsense', pullRequest(8), 'the secret'),
    await server.inject({ method: 'POST', url: `/v1/webhooks/${projectId}` }),
  ]
  const { requestId: _first, ...problem } = responses[0]?.json() ?? {}
  expect(problem).toMatchObject({ status: 401, code: 'unauthenticated' })
  for (const response of responses) expect(response.json()).toMatchObject(problem)
})

describe('of a GitHub App', () => {
  let one: Id<'prj'>
  let two: Id<'prj'>
  let elsewhere: Id<'prj'>
  beforeAll(async () => {
    const { githubApps } = instance.stores
    const app = { appId: 1, slug: 'colophon', name: 'Colophon', clientId: 'id' }
    const secrets = { clientSecret: 'x', privateKeyPem: 'x' }
    const urls = { baseUrl, url: `${baseUrl}/apps/colophon` }
    await githubApps.put({ ...app, ...urls, webhookSecret: 'of the App' }, secrets, sealer)
    const other = { baseUrl: 'https://github.com', url: 'https://github.com/apps/colophon' }
    await githubApps.put({ ...app, ...other, webhookSecret: 'of github.com' }, secrets, sealer)
    const silent = { baseUrl: 'https://silent.example.com', url: 'https://silent.example.com/apps/colophon' }
    await githubApps.put({ ...app, ...silent, webhookSecret: null }, secrets, sealer)
    one = await connectThroughApp(baseUrl, { id: 42, installationId: 3 })
    two = await connectThroughApp(baseUrl, { id: 43, installationId: 3 })
    elsewhere = await connectThroughApp('https://github.com', { id: 42, installationId: 3 })
    for (const project of [one, two, elsewhere]) await makePullRequest(project, 9, 'colophon/9')
    await takeHints()
  })

  test('a pull request is looked at in the projects of that repository, at that GitHub', async () => {
    expect((await deliverGithub('pull_request', pullRequest(9), 'of the App')).statusCode).toBe(204)
    expect(await takeHints()).toEqual({ looks: [], pullRequests: [9] })
    const again = await deliverGithub('pull_request', pullRequest(9), 'of the App')
    expect(again.statusCode).toBe(204)
    expect(await takeHints(), 'a replay').toEqual({ looks: [], pullRequests: [] })
    await deliverGithub('pull_request', pullRequest(9), 'of github.com')
    expect(await takeHints(), "another GitHub's own").toEqual({ looks: [], pullRequests: [9] })
  })

  test('checks are looked at by branch', async () => {
    const status = JSON.stringify({ repository: { id: 43 }, branches: [{ name: 'colophon/9' }, { name: 'main' }] })
    expect((await deliverGithub('status', status, 'of the App')).statusCode).toBe(204)
    expect((await takeHints()).pullRequests).toEqual([9])
  })

  test('what happens to a repository makes it be looked at; what happens to an installation, all of its', async () => {
    for (const action of ['renamed', 'transferred', 'archived', 'deleted']) {
      const payload = JSON.stringify({ action, repository: { id: 43 }, installation: { id: 3 } })
      expect((await deliverGithub('repository', payload, 'of the App')).statusCode).toBe(204)
      expect(await takeHints(), action).toEqual({ looks: [two], pullRequests: [] })
    }
    const replayed = JSON.stringify({ action: 'renamed', repository: { id: 43 }, installation: { id: 3 } })
    expect((await deliverGithub('repository', replayed, 'of the App')).statusCode).toBe(204)
    expect(await takeHints(), 'a replay is in no hurry').toEqual({ looks: [], pullRequests: [] })
    const { rows } = await instance.pool.query(
      "SELECT project_id FROM repository WHERE poll_at < now() + interval '1 minute'",
    )
    expect(rows, 'but may be true').toEqual([{ project_id: two }])
    await instance.stores.repositories.hintLook([two])
    await takeHints()
    const deleted = JSON.stringify({ action: 'deleted', installation: { id: 3 } })
    expect((await deliverGithub('installation', deleted, 'of the App')).statusCode).toBe(204)
    expect(await takeHints()).toEqual({ looks: [one, two].sort(), pullRequests: [] })
  })

  test('one of an installation or a repository that nobody connected comes to nothing', async () => {
    const before = await deliveriesKept()
    for (const [event, payload] of [
      ['installation', { action: 'created', installation: { id: 99 } }],
      ['repository', { action: 'renamed', repository: { id: 99 }, installation: { id: 99 } }],
      ['pull_request', { action: 'closed', number: 9, repository: { id: 99 } }],
      ['ping', { zen: 'Speak like a human.' }],
    ] as const)
      expect((await deliverGithub(event, JSON.stringify(payload), 'of the App')).statusCode, event).toBe(204)
    expect(await takeHints()).toEqual({ looks: [], pullRequests: [] })
    expect(await deliveriesKept(), 'nothing is kept of it').toBe(before)
  })

  test('a forged one is not taken, whosever secret it was signed with', async () => {
    for (const secret of ['another', '', 'null', 'the secret', 'given to nobody']) {
      const response = await deliverGithub('pull_request', pullRequest(10), secret)
      expect(response.json(), secret).toMatchObject({ status: 401, code: 'unauthenticated' })
    }
    const toProject = await deliverGithub('pull_request', pullRequest(10), 'of the App', one)
    expect(toProject.statusCode, 'to the address of a project').toBe(401)
    expect(await takeHints()).toEqual({ looks: [], pullRequests: [] })
  })
})

test('who sends too many waits a minute; what is forged takes nothing from it', async () => {
  const send = async (secret: string, times: number) => {
    const responses = []
    for (let sent = 0; sent < times; sent++) responses.push(await deliverGitea(projectId, pullRequest(7), secret))
    return responses
  }
  for (const { statusCode } of await send('another secret', 130)) expect(statusCode).toBe(401)
  const responses = await send('the secret', 130)
  expect(responses[100]?.statusCode).toBe(204)
  const last = responses.at(-1)
  expect(last?.json()).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
})
