import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createTestInstance, type TestInstance } from '../../../../testing/harness/test-instance.ts'
import { webhookParsers } from '../../code-hosts/code-host-factory.ts'
import { createHttpServer, type HttpServer } from '../../platform/http/http-server.ts'
import { addJsonBodyParser } from '../../platform/http/json-body.ts'
import { type Id, newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createSealer, type Sealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'
import { addWebhooks } from './receive-webhook.ts'

const operator = { kind: 'operator' } as const
let instance: TestInstance
let server: HttpServer
let projectId: Id<'prj'>
let sealer: Sealer
let webhookSecret: string

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'hooks', 'api')
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  sealer = createSealer(parsed.keys)
  projectId = (await instance.stores.projects.create('Docs', operator)).id
  const credential = { kind: 'code-host-token', secret: 'token', baseUrl: 'https://git.example.com' } as const
  const where = { host: 'gitea', baseUrl: 'https://git.example.com', owner: 'docs', name: 'site' } as const
  const connected = await instance.stores.repositories.connect(
    projectId,
    {
      ...where,
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      access: {
        kind: 'token',
        credentialId: await instance.stores.credentials.put(projectId, credential, sealer, operator),
      },
      hostRepositoryId: 42,
    },
    operator,
  )
  webhookSecret = connected.webhookSecret
  server = createHttpServer(
    { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 },
    createLog('test', { level: 'error' }),
  )
  addJsonBodyParser(server) // as in the api: routes that declare no body get none
  addWebhooks(server, {
    ...instance.stores,
    readWebhook: (host, delivery, secret) => webhookParsers[host](delivery, secret),
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

/** The projects whose repositories, and the numbers of the pull requests, that are due for a poll. Afterwards none is due. */
async function takeDuePolls() {
  const repositories = await instance.stores.repositories.claimDuePolls(3_600, 100)
  const { rows } = await instance.pool.query(
    'UPDATE job SET pull_request_poll_at = NULL WHERE pull_request_poll_at IS NOT NULL RETURNING pull_request_number AS number',
  )
  return { repositories: repositories.sort(), pullRequests: rows.map(({ number }) => Number(number)).sort() }
}

const countDeliveries = async () =>
  (await instance.pool.query('SELECT count(*)::int AS count FROM webhook_delivery')).rows[0].count

async function connectThroughApp(appBaseUrl: string, { id, installationId }: { id: number; installationId: number }) {
  const project = (await instance.stores.projects.create('Docs', operator)).id
  await instance.stores.repositories.connect(
    project,
    {
      host: 'github',
      baseUrl: appBaseUrl,
      owner: 'docs',
      name: 'site',
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      hostRepositoryId: id,
      access: { kind: 'installation', installationId },
    },
    operator,
  )
  return project
}

async function createPullRequest(project: Id<'prj'>, number: number, branch: string) {
  await instance.pool.query(
    `INSERT INTO job (project_id, id, status, model, repository, ref, publish, pull_request_number, pull_request_branch,
       pull_request_state) VALUES ($1, $2, 'completed', 'm', 'docs/site', 'main', 'pull_request', $3, $4, 'open')`,
    [project, newId('job'), number, branch],
  )
}

test('accepts a delivery with a valid signature and requests a poll', async () => {
  await createPullRequest(projectId, 7, 'colophon/7')
  await takeDuePolls()
  expect((await deliverGitea(projectId, pullRequest(7), webhookSecret)).statusCode).toBe(204)
  expect(await takeDuePolls()).toEqual({ repositories: [], pullRequests: [7] })
})

test('accepts a repeated body and ignores it', async () => {
  expect((await deliverGitea(projectId, pullRequest(7), webhookSecret)).statusCode).toBe(204)
  expect(await takeDuePolls()).toEqual({ repositories: [], pullRequests: [] })
})

test('rejects a forged signature and an unknown project with the same response', async () => {
  const responses = [
    await deliverGitea(projectId, pullRequest(8), 'another secret'),
    await deliverGitea('prj_00000000000000000000000000', pullRequest(8), webhookSecret),
    await deliverGitea('nonsense', pullRequest(8), webhookSecret),
    await server.inject({ method: 'POST', url: `/v1/webhooks/${projectId}` }),
  ]
  const { requestId: _first, ...problem } = responses[0]?.json() ?? {}
  expect(problem).toMatchObject({ status: 401, code: 'unauthenticated' })
  for (const response of responses) expect(response.json()).toMatchObject(problem)
})

describe('webhooks of a GitHub App', () => {
  let first: Id<'prj'>
  let second: Id<'prj'>
  let onGithubCom: Id<'prj'>
  beforeAll(async () => {
    const { githubApps } = instance.stores
    const app = { appId: 1, slug: 'colophon', name: 'Colophon', clientId: 'id' }
    const secrets = { clientSecret: 'x', privateKeyPem: 'x' }
    const urls = { baseUrl, url: `${baseUrl}/apps/colophon` }
    await githubApps.put({ ...app, ...urls, webhookSecret: 'app secret' }, secrets, sealer, operator)
    const githubCom = { baseUrl: 'https://github.com', url: 'https://github.com/apps/colophon' }
    await githubApps.put({ ...app, ...githubCom, webhookSecret: 'github.com secret' }, secrets, sealer, operator)
    const withoutWebhook = {
      baseUrl: 'https://no-webhook.example.com',
      url: 'https://no-webhook.example.com/apps/colophon',
    }
    await githubApps.put({ ...app, ...withoutWebhook, webhookSecret: null }, secrets, sealer, operator)
    first = await connectThroughApp(baseUrl, { id: 42, installationId: 3 })
    second = await connectThroughApp(baseUrl, { id: 43, installationId: 3 })
    onGithubCom = await connectThroughApp('https://github.com', { id: 42, installationId: 3 })
    for (const project of [first, second, onGithubCom]) await createPullRequest(project, 9, 'colophon/9')
    await takeDuePolls()
  })

  test('requests a poll of the pull request in the projects of that repository on that GitHub', async () => {
    expect((await deliverGithub('pull_request', pullRequest(9), 'app secret')).statusCode).toBe(204)
    expect(await takeDuePolls()).toEqual({ repositories: [], pullRequests: [9] })
    const again = await deliverGithub('pull_request', pullRequest(9), 'app secret')
    expect(again.statusCode).toBe(204)
    expect(await takeDuePolls(), 'replay').toEqual({ repositories: [], pullRequests: [] })
    await deliverGithub('pull_request', pullRequest(9), 'github.com secret')
    expect(await takeDuePolls(), 'the App of another GitHub').toEqual({ repositories: [], pullRequests: [9] })
  })

  test('requests polls of checks by branch', async () => {
    const status = JSON.stringify({ repository: { id: 43 }, branches: [{ name: 'colophon/9' }, { name: 'main' }] })
    expect((await deliverGithub('status', status, 'app secret')).statusCode).toBe(204)
    expect((await takeDuePolls()).pullRequests).toEqual([9])
  })

  test('polls the repository of a repository event, and all repositories of an installation event', async () => {
    for (const action of ['renamed', 'transferred', 'archived', 'deleted']) {
      const payload = JSON.stringify({ action, repository: { id: 43 }, installation: { id: 3 } })
      expect((await deliverGithub('repository', payload, 'app secret')).statusCode).toBe(204)
      expect(await takeDuePolls(), action).toEqual({ repositories: [second], pullRequests: [] })
    }
    const replayed = JSON.stringify({ action: 'renamed', repository: { id: 43 }, installation: { id: 3 } })
    expect((await deliverGithub('repository', replayed, 'app secret')).statusCode).toBe(204)
    expect(await takeDuePolls(), 'a replay does not request an immediate poll').toEqual({
      repositories: [],
      pullRequests: [],
    })
    const { rows } = await instance.pool.query(
      "SELECT project_id FROM repository WHERE poll_at < now() + interval '1 minute'",
    )
    expect(rows, 'a replay requests a later poll').toEqual([{ project_id: second }])
    await instance.stores.repositories.requestPoll([second])
    await takeDuePolls()
    const deleted = JSON.stringify({ action: 'deleted', installation: { id: 3 } })
    expect((await deliverGithub('installation', deleted, 'app secret')).statusCode).toBe(204)
    expect(await takeDuePolls()).toEqual({ repositories: [first, second].sort(), pullRequests: [] })
  })

  test('ignores installations and repositories that are not connected', async () => {
    const before = await countDeliveries()
    for (const [event, payload] of [
      ['installation', { action: 'created', installation: { id: 99 } }],
      ['repository', { action: 'renamed', repository: { id: 99 }, installation: { id: 99 } }],
      ['pull_request', { action: 'closed', number: 9, repository: { id: 99 } }],
      ['ping', { zen: 'Speak like a human.' }],
    ] as const)
      expect((await deliverGithub(event, JSON.stringify(payload), 'app secret')).statusCode, event).toBe(204)
    expect(await takeDuePolls()).toEqual({ repositories: [], pullRequests: [] })
    expect(await countDeliveries(), 'not stored').toBe(before)
  })

  test('rejects a signature with any other secret', async () => {
    for (const secret of ['another', '', 'null', webhookSecret, 'unused secret']) {
      const response = await deliverGithub('pull_request', pullRequest(10), secret)
      expect(response.json(), secret).toMatchObject({ status: 401, code: 'unauthenticated' })
    }
    const toProject = await deliverGithub('pull_request', pullRequest(10), 'app secret', first)
    expect(toProject.statusCode, 'sent to the URL of a project').toBe(401)
    expect(await takeDuePolls()).toEqual({ repositories: [], pullRequests: [] })
  })
})

test('rate limits deliveries; forged ones do not count', async () => {
  const send = async (secret: string, times: number) => {
    const responses = []
    for (let sent = 0; sent < times; sent++) responses.push(await deliverGitea(projectId, pullRequest(7), secret))
    return responses
  }
  for (const { statusCode } of await send('another secret', 130)) expect(statusCode).toBe(401)
  const responses = await send(webhookSecret, 130)
  expect(responses[100]?.statusCode).toBe(204)
  const last = responses.at(-1)
  expect(last?.json()).toMatchObject({ status: 429, code: 'rate_limited' })
  expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
})
