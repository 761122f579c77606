import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { testAuthorizeDeps } from '../../../../testing/harness/test-authorize-deps.ts'
import { createTestInstance, type TestInstance } from '../../../../testing/harness/test-instance.ts'
import { createHttpServer, type HttpServer } from '../../platform/http/http-server.ts'
import { addJsonBodyParser } from '../../platform/http/json-body.ts'
import { compileValidator } from '../../platform/http/validation.ts'
import { type Id, newId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'
import { addRoutes } from '../add-routes.ts'
import { createJobEventStreams } from './job-event-streams.ts'
import { jobRoutes } from './job-routes.ts'

let instance: TestInstance
let server: HttpServer
let projectId: Id<'prj'>
let key: string
const woken: string[] = []

beforeAll(async () => {
  instance = await createTestInstance(inject('services'), 'jobs-api', 'api')
  const { stores } = instance
  const log = createLog('test', { level: 'error' })
  server = createHttpServer(
    { listen: { host: '127.0.0.1', port: 0 }, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 },
    log,
  )
  addJsonBodyParser(server)
  server.setValidatorCompiler(compileValidator)
  const wake = async (id: string) => void woken.push(id)
  const { streamJobEvents } = createJobEventStreams(stores.events, log)
  const deps = { ...stores, startJob: wake, wakeJob: wake, stopJob: wake, streamJobEvents }
  addRoutes(server, jobRoutes(deps), testAuthorizeDeps(instance))
  const created = await createProject()
  projectId = created.projectId
  key = created.key
  await connect(projectId)
  await instance.addModel()
})
afterAll(async () => {
  await server.close()
  await instance.drop()
})

const operator = { kind: 'operator' } as const

async function createProject() {
  const project = await instance.stores.projects.create('Docs', operator)
  const grant = { name: 'key', scopes: ['agent:read', 'agent:write'] as const, allowedNetworks: [], expiresAt: null }
  const { secret } = await instance.stores.keys.create(project.id, grant, operator)
  return { projectId: project.id, key: secret }
}

async function connect(id: Id<'prj'>) {
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  const credential = { kind: 'code-host-token', secret: 'token', baseUrl: 'https://git.example.com' } as const
  const credentialId = await instance.stores.credentials.put(id, credential, createSealer(parsed.keys), operator)
  const location = { host: 'gitea', baseUrl: 'https://git.example.com', owner: 'docs', name: 'site' } as const
  const settings = {
    baseBranch: 'main',
    docsFolder: '',
    publishing: {},
    access: { kind: 'token' as const, credentialId },
    hostRepositoryId: null,
  }
  await instance.stores.repositories.connect(id, { ...location, ...settings }, operator)
}

const send = (
  method: 'GET' | 'POST',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
  secret = key,
) =>
  server.inject({
    method,
    url: path,
    headers: { authorization: `Bearer ${secret}`, ...headers },
    ...(body && { payload: body }),
  })
const jobsUrl = () => `/v2/agent/${projectId}/job`
const create = (body: object = { prompt: 'Write it.' }, headers = {}) => send('POST', jobsUrl(), body, headers)

test('creates and wakes a job and returns all its fields', async () => {
  const response = await create({ prompt: 'Write it.', metadata: { ticket: 'D-1' } })
  expect(response.statusCode).toBe(201)
  const job = response.json()
  expect(response.headers.location).toBe(`${jobsUrl()}/${job.id}`)
  expect(response.headers['ratelimit-policy']).toBe('"jobs";q=100;w=3600')
  expect(job).toMatchObject({
    status: 'active',
    source: { repository: 'docs/site', ref: 'main' },
    prLink: null,
    outcome: null,
    archivedAt: null,
    queuedMessages: 0,
    metadata: { ticket: 'D-1' },
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  })
  expect(woken).toContain(job.id)
  const again = await send('GET', `${jobsUrl()}/${job.id}`)
  expect(again.json()).toEqual(job)
  expect(again.headers['retry-after']).toBe('2')
  const unchanged = await send('GET', `${jobsUrl()}/${job.id}`, undefined, {
    'if-none-match': String(again.headers.etag),
  })
  expect(unchanged.statusCode).toBe(304)
})

test('queues a message to an active job and lists it', async () => {
  const { id } = (await create()).json()
  const response = await send('POST', `${jobsUrl()}/${id}/message`, { prompt: 'Shorter.' })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toMatchObject({ id, status: 'active', queuedMessages: 1 })
  expect((await send('GET', `${jobsUrl()}/${id}/messages`)).json().messages).toMatchObject([
    { number: 1, prompt: 'Write it.', status: 'queued' },
    { number: 2, prompt: 'Shorter.', status: 'queued' },
  ])
})

test('lists the newest messages, and on request those before them', async () => {
  const { id } = (await create()).json()
  for (const prompt of ['Second.', 'Third.']) await send('POST', `${jobsUrl()}/${id}/message`, { prompt })
  const read = async (query: string) => (await send('GET', `${jobsUrl()}/${id}/messages?${query}`)).json()
  expect(await read('limit=2')).toMatchObject({ nextBefore: 2, messages: [{ number: 2 }, { number: 3 }] })
  expect(await read('limit=2&before=2')).toMatchObject({ nextBefore: null, messages: [{ number: 1 }] })
  expect(await read('before=1')).toMatchObject({ nextBefore: null, messages: [] })
})

test('approves and rejects only what awaits approval, with the scope for it', async () => {
  const { id } = (await create()).json()
  const body = { diffSha256: 'a'.repeat(64) }
  for (const decision of ['approve', 'reject']) {
    const url = `${jobsUrl()}/${id}/${decision}`
    expect((await send('POST', url, body)).json()).toMatchObject({ status: 403, code: 'insufficient_scope' })
    const grant = { name: 'approver', scopes: ['agent:approve'] as const, allowedNetworks: [], expiresAt: null }
    const { secret } = await instance.stores.keys.create(projectId, grant, operator)
    const sendAs = (path: string, payload: object) => send('POST', path, payload, {}, secret)
    expect((await sendAs(url, body)).json()).toMatchObject({ status: 409, code: 'not_awaiting_approval' })
    expect((await sendAs(url, {})).json()).toMatchObject({ status: 400, code: 'invalid_request' })
    const unknown = `${jobsUrl()}/${newId('job')}/${decision}`
    expect((await sendAs(unknown, body)).json()).toMatchObject({ status: 404, code: 'not_found' })
  }
})

test('accepts a message about a failed check', async () => {
  const { id } = (await create()).json()
  await instance.pool.query(
    `UPDATE job SET pull_request_number = 9, pull_request_url = 'https://git.example.com/docs/site/pulls/9',
       pull_request_branch = 'colophon/x', pull_request_state = 'open' WHERE id = $1`,
    [id],
  )
  const checks = (['failed', 'passed'] as const).map((status) => ({
    id: status,
    name: `It ${status}`,
    status,
    url: null,
    summary: 'one line',
  }))
  const pullRequest = { projectId, jobId: id, number: 9 }
  const observed = { commit: 'a', checks, logs: { failed: 'the log' }, previewUrl: null }
  await instance.stores.pullRequests.recordChecks(pullRequest, observed)
  const sendAbout = (failedCheck: string) =>
    send('POST', `${jobsUrl()}/${id}/message`, { prompt: 'Fix it.', failedCheck })
  const sent = await sendAbout('It failed')
  expect(sent.statusCode).toBe(200)
  expect(sent.json().pullRequest.checks).toMatchObject([{ name: 'It failed', log: 'the log' }, { log: null }])
  expect((await send('GET', `${jobsUrl()}/${id}/messages`)).json().messages).toMatchObject([
    { failedCheck: null, comment: null },
    { prompt: 'Fix it.', failedCheck: 'It failed', comment: null },
  ])
  for (const [check, message] of [
    ['It passed', 'has not failed'],
    ['Another', 'is not the name of a check'],
  ] as const) {
    const problem = {
      code: 'invalid_request',
      errors: [{ path: 'body/failedCheck', message: expect.stringContaining(message) }],
    }
    expect((await sendAbout(check)).json()).toMatchObject(problem)
  }
  expect((await send('GET', `${jobsUrl()}/${id}`)).json()).toMatchObject({ queuedMessages: 1 })
})

test('rejects the 21st queued message', async () => {
  const { id } = (await create()).json()
  for (let sent = 0; sent < 19; sent++) await send('POST', `${jobsUrl()}/${id}/message`, { prompt: 'more' })
  expect((await send('POST', `${jobsUrl()}/${id}/message`, { prompt: 'more' })).json()).toMatchObject({
    code: 'queue_full',
  })
})

test('cancelling ends a queued job, and archiving is final', async () => {
  const { id } = (await create()).json()
  const cancelled = (await send('POST', `${jobsUrl()}/${id}/cancel`)).json()
  expect(cancelled).toMatchObject({ status: 'failed', outcome: 'cancelled', error: null, prLink: null })
  expect((await send('POST', `${jobsUrl()}/${id}/cancel`)).json()).toMatchObject({ code: 'not_cancellable' })
  const archived = (await send('POST', `${jobsUrl()}/${id}/archive`)).json()
  expect(archived).toMatchObject({ status: 'archived', archivedAt: expect.any(String) })
  expect((await send('POST', `${jobsUrl()}/${id}/archive`)).json()).toEqual(archived)
  expect((await send('POST', `${jobsUrl()}/${id}/message`, { prompt: 'more' })).json()).toMatchObject({
    code: 'job_archived',
  })
})

test('allows one open job per topic', async () => {
  const first = await create({ prompt: 'Nightly.', topic: 'nightly' })
  const second = await create({ prompt: 'Nightly again.', topic: 'nightly' })
  expect([first.statusCode, second.statusCode]).toEqual([201, 200])
  expect(second.json()).toMatchObject({ id: first.json().id, queuedMessages: 1 })
  expect(second.headers['ratelimit-policy']).toContain('messages')
  await send('POST', `${jobsUrl()}/${first.json().id}/archive`)
  expect((await create({ prompt: 'Nightly.', topic: 'nightly' })).statusCode).toBe(201)
})

test('repeats the response for the same idempotency key, and rejects another request with it', async () => {
  const header = { 'idempotency-key': 'once' }
  const responses = await Promise.all(Array.from({ length: 20 }, () => create({ prompt: 'Once.' }, header)))
  expect(new Set(responses.map(({ body, statusCode }) => statusCode + body)).size).toBe(1)
  expect((await create({ prompt: 'Other.' }, header)).json()).toMatchObject({ code: 'idempotency_key_reused' })
})

test('requires a model that the project can use, except for a repeated request', async () => {
  const { models } = instance.stores
  const rejected = await create({ prompt: 'x', model: 'unknown' })
  expect([rejected.statusCode, rejected.json()]).toEqual([
    400,
    expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ path: 'body/model' })] }),
  ])
  const body = { prompt: 'x', model: 'test-model' }
  const header = { 'idempotency-key': 'for a model' }
  const first = await create(body, header)
  expect(first.json()).toMatchObject({ model: 'test-model' })
  await models.setAllowedProjects('test-model', [], operator)
  expect((await create(body)).json()).toMatchObject({ code: 'invalid_request' })
  expect((await create(body, header)).body).toBe(first.body)
  expect((await create()).json()).toMatchObject({ code: 'project_not_ready' })
  await models.setAllowedProjects('test-model', null, operator)
  expect((await create()).statusCode).toBe(201)
})

test('allows exactly 100 jobs per hour, in a sliding window', async () => {
  const other = await createProject()
  await connect(other.projectId)
  const post = () => send('POST', `/v2/agent/${other.projectId}/job`, { prompt: 'x' }, {}, other.key)
  const responses = await Promise.all(Array.from({ length: 150 }, post))
  expect(responses.filter(({ statusCode }) => statusCode === 201)).toHaveLength(100)
  const limited = responses.find(({ statusCode }) => statusCode === 429)
  expect(Number(limited?.headers['retry-after'])).toBeGreaterThan(3_500)
  await instance.pool.query(
    `UPDATE job SET created_at = created_at - interval '1 hour' WHERE id = (
       SELECT id FROM job WHERE project_id = $1 ORDER BY created_at LIMIT 1)`,
    [other.projectId],
  )
  expect([(await post()).statusCode, (await post()).statusCode]).toEqual([201, 429])
})

test('checks idempotency key, model, state of the job and rate limit in this order', async () => {
  const { projectId: otherId, key: otherKey } = await createProject()
  await connect(otherId)
  const post = (path: string, body: object = {}, headers = {}) =>
    send('POST', `/v2/agent/${otherId}/job${path}`, { prompt: 'x', ...body }, headers, otherKey)
  const header = { 'idempotency-key': 'before the limit' }
  const first = await post('', {}, header)
  const { id } = first.json()
  const archivedId = (await post('')).json().id
  await send('POST', `/v2/agent/${otherId}/job/${archivedId}/archive`, undefined, {}, otherKey)
  await Promise.all(Array.from({ length: 98 }, () => post('')))
  await instance.pool.query(
    `INSERT INTO turn (project_id, job_id, id, number, prompt, status)
     SELECT $1, $2, id, number + 1, 'x', 'completed' FROM unnest($3::text[]) WITH ORDINALITY AS message (id, number)`,
    [otherId, id, Array.from({ length: 100 }, () => newId('trn'))],
  )
  const cases = [
    ['idempotency_key_reused', () => post('', { model: 'unknown' }, header)],
    ['invalid_request', () => post('', { model: 'unknown' })],
    ['rate_limited', () => post('')],
    ['not_found', () => post(`/${newId('job')}/message`)],
    ['job_archived', () => post(`/${archivedId}/message`)],
    ['rate_limited', () => post(`/${id}/message`)],
    ['rate_limited', () => post(`/${id}/message`, { failedCheck: 'unknown' })],
  ] as const
  for (const [code, request] of cases) {
    const responses = await Promise.all([request(), request(), request()]) // the first does not have to wait, the others do
    expect(responses.map((response) => response.json().code)).toEqual([code, code, code])
  }
  expect((await post('', {}, header)).body).toBe(first.body)
})

test('lists jobs in pages, newest first, filtered by status', async () => {
  const first = (await send('GET', `/v2/agent/${projectId}/jobs?limit=2`)).json()
  expect(first.jobs).toHaveLength(2)
  const second = (await send('GET', `/v2/agent/${projectId}/jobs?limit=2&cursor=${first.nextCursor}`)).json()
  expect(second.jobs[0].id < first.jobs[1].id).toBe(true)
  const archived = (await send('GET', `/v2/agent/${projectId}/jobs?status=archived`)).json()
  expect(archived.jobs.every((job: { status: string }) => job.status === 'archived')).toBe(true)
})

test('finds jobs by outcome and by literal text in title, id or prompt', async () => {
  const list = async (query: Record<string, string>) =>
    (await send('GET', `/v2/agent/${projectId}/jobs?${new URLSearchParams(query)}`)).json()
  const find = async (q: string, more = {}) => (await list({ q, ...more })).jobs.map(({ id }: { id: string }) => id)
  const { id } = (
    await create({ prompt: `Explain 100%_ÜBER proxies. ${'x'.repeat(500)}`, title: 'Proxy (new)' })
  ).json()
  const other = (await create({ prompt: 'Explain 100 other things.' })).json()
  for (const text of ['100%_über', 'pROXY (', id.slice(-12)]) expect(await find(text)).toEqual([id])
  expect(await find('100_')).toEqual([])
  expect(await find('explain 100')).toEqual([other.id, id])
  await send('POST', `${jobsUrl()}/${other.id}/cancel`)
  expect(await find('explain 100', { outcome: 'cancelled' })).toEqual([other.id])
  expect(await find('explain 100', { status: 'active' })).toEqual([id])
  expect((await list({ q: id })).jobs[0].promptPreview).toBe(`Explain 100%_ÜBER proxies. ${'x'.repeat(173)}`)
  for (const q of ['', 'x'.repeat(201), 'a\u0000']) expect(await list({ q })).toMatchObject({ code: 'invalid_request' })
})

test('rejects a project without a repository, and hides jobs from other projects', async () => {
  const other = await createProject()
  expect((await send('POST', `/v2/agent/${other.projectId}/job`, { prompt: 'x' }, {}, other.key)).json()).toMatchObject(
    {
      code: 'project_not_ready',
    },
  )
  const { id } = (await create()).json()
  expect((await send('GET', `${jobsUrl()}/${id}`, undefined, {}, other.key)).json()).toMatchObject({
    code: 'not_found',
  })
  expect((await send('GET', `/v2/agent/${other.projectId}/job/${id}`, undefined, {}, other.key)).json()).toMatchObject({
    code: 'not_found',
  })
  expect((await send('GET', `${jobsUrl()}/${id}/diff`)).json()).toEqual({ diff: null, diffSha256: null })
})
