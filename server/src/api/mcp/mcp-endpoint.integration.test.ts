/** The official client of the Model Context Protocol calls `/mcp`, with keys that may do more and less. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createClaimedTurn } from '../../../../testing/harness/claimed-turn.ts'
import { toLocalhostOrigin } from '../../../../testing/harness/people.ts'
import { startTestApi } from '../../../../testing/harness/test-api.ts'
import { operator } from '../../../../testing/harness/test-instance.ts'
import { loadViews } from '../../analytics/testing/load-views.ts'
import { hashKey } from '../../keys/key-format.ts'
import type { Scope } from '../../keys/scopes.ts'
import { createSealer } from '../../platform/sealed-secrets/sealed-secret.ts'
import { generateSealingKeyPair, parseSealingPublicKeys } from '../../platform/sealed-secrets/sealing-keys.ts'

const api = await startTestApi(inject('services'), 'mcp endpoint')
afterAll(() => api.drop())
const mcpUrl = `${api.url}/mcp`
const { projectId, secret } = await api.createProject()

const readTools = [
  'read_page_views',
  'find_pages_read_by_ai',
  'view_time_series',
  'list_jobs',
  'get_job',
  'get_job_diff',
  'list_job_events',
  'wait_for_job',
]
const writeTools = ['create_job', 'send_message', 'cancel_job']

type Mode = 'legacy' | 'auto'

async function connect(
  key: string,
  mode: Mode = 'auto',
  headers: Record<string, string> = {},
  url = mcpUrl,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  onTestFinished(() => client.close())
  return client
}

const createKey = async (...scopes: Scope[]) => (await api.createKey(projectId, { scopes })).secret

const listNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

async function call(client: Client, name: string, input: Record<string, unknown> = {}) {
  const result = await client.callTool({ name, arguments: input })
  const [content] = result.content
  const text = content?.type === 'text' ? content.text : ''
  return { isError: result.isError === true, text, output: result.structuredContent as Record<string, unknown> }
}

const post = (body: unknown, headers: Record<string, string> = {}) =>
  fetch(mcpUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${secret}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const listRequest = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function connectRepository() {
  const project = await api.createProject()
  const parsed = parseSealingPublicKeys(generateSealingKeyPair().publicEntry)
  if (!parsed.ok) throw new Error(parsed.errors.join())
  const baseUrl = 'https://git.example.com'
  const credential = { kind: 'code-host-token', secret: 'token', baseUrl } as const
  const credentialId = await api.stores.credentials.put(
    project.projectId,
    credential,
    createSealer(parsed.keys),
    operator,
  )
  await api.stores.repositories.connect(
    project.projectId,
    {
      host: 'gitea',
      baseUrl,
      owner: 'docs',
      name: 'site',
      baseBranch: 'main',
      docsFolder: '',
      publishing: {},
      access: { kind: 'token', credentialId },
      hostRepositoryId: null,
    },
    operator,
  )
  return project
}
await api.addModel()

const textEvent = (text: string) => ({ type: 'text', at: '2026-01-01T00:00:00Z', text })

/** A job whose agent is at work. */
async function startJob() {
  const { jobId, turnId, attemptToken } = await createClaimedTurn(api, projectId, 'test-model')
  const live = await api.stores.attempts.findLive(hashKey(attemptToken))
  if (!live) throw new Error('not claimed')
  let index = 0
  return {
    jobId,
    say: async (...texts: string[]) => {
      await api.stores.events.append(live, index, texts.map(textEvent))
      index += texts.length
    },
    finish: (diff: string | null = null) =>
      api.stores.turns.finish(turnId, {
        outcome: 'diff',
        diff,
        reply: 'Done.',
        title: 'A title',
        checks: [],
        pullRequest: null,
      }),
  }
}

test.each(['legacy', 'auto'] as const)('a client of the versions %s lists the tools of its key', async (mode) => {
  const all = await connect(secret, mode)
  expect(await listNames(all)).toEqual([...readTools, ...writeTools])
  expect(all.getServerVersion()).toMatchObject({ name: 'colophon' })
  const { tools } = await all.listTools()
  for (const { name, annotations } of tools) expect(annotations?.readOnlyHint, name).toBe(readTools.includes(name))
})

test('a client of 2025 and one of 2026 get the version that they ask for', async () => {
  expect((await connect(secret, 'legacy')).getNegotiatedProtocolVersion()).toBe('2025-11-25')
  expect((await connect(secret, 'auto')).getNegotiatedProtocolVersion()).toBe('2026-07-28')
  const unknown = await post(listRequest, { 'mcp-protocol-version': '1999-01-01' })
  expect(unknown.status).toBe(400)
  expect(await unknown.text()).toContain('Unsupported protocol version')
})

test('a key lists only the tools that it has the scopes for', async () => {
  expect(await listNames(await connect(await createKey('agent:read')))).toEqual(readTools.slice(3))
  expect(await listNames(await connect(await createKey('analytics:read')))).toEqual(readTools.slice(0, 3))
  expect(await listNames(await connect(await createKey('agent:write')))).toEqual(['create_job', 'cancel_job'])
  expect(await listNames(await connect(await createKey('analytics:write')))).toEqual([])
})

test('the API rejects a tool that is not listed, and says which scope is missing', async () => {
  const client = await connect(await createKey('agent:read', 'analytics:read'))
  for (const [name, input] of [
    ['create_job', { prompt: 'Write.' }],
    ['cancel_job', { jobId: 'job_01m7ej5fb2e1et8d6t4k20dq6v' }],
  ] as const) {
    const { isError, text } = await call(client, name, input)
    expect({ name, isError, text }).toEqual({
      name,
      isError: true,
      text: expect.stringContaining('insufficient_scope: This API key lacks the scope agent:write.'),
    })
  }
  const denials = async () => {
    const { entries } = await api.clientWith(secret).audit.list(projectId)
    return entries.filter(({ action }) => action === 'access.denied').length
  }
  await expect.poll(denials).toBeGreaterThan(0)
})

test('input that a tool does not know is rejected', async () => {
  const client = await connect(secret)
  const { isError, text } = await call(client, 'list_jobs', { limit: 0, projectId: 'prj_other' })
  expect(isError).toBe(true)
  expect(text).toContain('limit')
  expect(text).toContain('projectId')
  await expect(client.callTool({ name: 'delete_project', arguments: {} })).rejects.toThrow(
    'There is no tool delete_project.',
  )
})

test('a key of another project sees nothing of this one', async () => {
  const { jobId } = await startJob()
  const other = await connect((await api.createProject()).secret)
  for (const name of ['get_job', 'get_job_diff', 'list_job_events', 'wait_for_job', 'cancel_job']) {
    const { isError, text } = await call(other, name, { jobId })
    expect({ name, isError, code: text.split(':')[0] }).toEqual({ name, isError: true, code: 'not_found' })
  }
  expect((await call(other, 'list_jobs')).output).toMatchObject({ jobs: [] })
})

test.each([
  ['no key', undefined],
  ['no valid key', 'garbage'],
])('a request with %s gets 401 and the scheme', async (_what, key) => {
  const response = await fetch(mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(listRequest),
  })
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
})

test('a revoked key and a key of another network are rejected', async () => {
  const revoked = await api.createKey(projectId)
  const client = await connect(revoked.secret)
  await api.clientWith(secret).keys.revoke(projectId, revoked.key.id)
  await expect(client.listTools()).rejects.toThrow('This API key was revoked.')
  const elsewhere = await api.createKey(projectId, { allowedNetworks: ['203.0.113.0/24'] })
  expect((await post(listRequest, { authorization: `Bearer ${elsewhere.secret}` })).status).toBe(403)
})

test('pages of other sites are rejected, also with a key', async () => {
  for (const origin of ['https://evil.example', 'null', `${api.url}.evil.example`]) {
    const response = await post(listRequest, { origin })
    expect(response.status, origin).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'cross_origin' })
  }
  expect((await post(listRequest)).status).toBe(200)
  expect((await post(listRequest, { origin: toLocalhostOrigin(api.url) })).status).toBe(200)
})

test('a session cookie is not accepted', async () => {
  const owner = await api.signIn({ projectId, role: 'owner' })
  const cookie = [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const response = await fetch(mcpUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify(listRequest),
  })
  expect(response.status).toBe(401)
})

test.each(['GET', 'DELETE'])('%s is not allowed: there are no sessions', async (method) => {
  const response = await fetch(mcpUrl, { method, headers: { authorization: `Bearer ${secret}` } })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
})

test('clients that look for an authorization server find none', async () => {
  for (const path of ['oauth-protected-resource', 'oauth-protected-resource/mcp', 'oauth-authorization-server'])
    expect((await fetch(`${api.url}/.well-known/${path}`)).status, path).toBe(404)
})

test('bodies that are too large, malformed or batches are rejected', async () => {
  const prompt = 'x'.repeat(600 * 1024)
  expect((await post({ ...listRequest, params: { prompt } })).status).toBe(413)
  expect((await post('{')).status).toBe(400)
  expect((await post({ hello: 'world' })).status).toBe(400)
  expect((await post([listRequest, listRequest])).status).toBe(400)
  expect((await post(listRequest, { 'content-type': 'text/plain' })).status).toBe(415)
})

test('reads page views and finds the pages that only AI reads, of all pages', async () => {
  const project = await api.createProject()
  const at = new Date('2026-02-11T12:00:00.000Z')
  const gptBot = { class: 'ai-training', client: 'GPTBot' } as const
  const views = (path: string, human: number, ai: number) => [
    ...Array.from({ length: human }, () => ({ at, path })),
    ...Array.from({ length: ai }, () => ({ at, path, ...gptBot })),
  ]
  // More than the API returns at once. The pages that only AI reads are at the end of its list.
  const popular = Array.from({ length: 270 }, (_, page) => views(`/popular/${page}`, 4, 1)).flat()
  const unread = Array.from({ length: 40 }, (_, page) => views(`/unread/${String(page).padStart(2, '0')}`, 0, 3)).flat()
  const rare = views('/rare', 0, 2)
  const mostly = views('/mostly', 1, 4)
  await loadViews(api, {
    projectId: project.projectId,
    source: 'servers',
    countsHumans: true,
    views: [...popular, ...unread, ...rare, ...mostly],
  })
  const client = await connect(project.secret)
  const { output } = await call(client, 'read_page_views', { dateFrom: '2026-02-11', dateTo: '2026-02-12', limit: 2 })
  expect(output).toMatchObject({
    totals: { human: 270 * 4 + 1, ai: 270 + 120 + 2 + 4, total: 270 * 5 + 120 + 2 + 5 },
    pages: [{ path: '/mostly', human: 1, ai: 4, total: 5 }, { path: '/popular/0' }],
    nextOffset: 2,
    coverage: { human: 'measured', ai: 'measured' },
  })

  const found: string[] = []
  for (let offset: unknown = 0; offset !== null; ) {
    const page = await call(client, 'find_pages_read_by_ai', { minAiViews: 3, limit: 25, offset })
    expect(page.output).toMatchObject({ matchingPages: 41, comparedPages: 311, isComplete: true })
    found.push(...(page.output.pages as { path: string }[]).map(({ path }) => path))
    offset = page.output.nextOffset
  }
  expect(found).toEqual([
    ...Array.from({ length: 40 }, (_, page) => `/unread/${String(page).padStart(2, '0')}`),
    '/mostly',
  ])

  const series = await call(client, 'view_time_series', { dateFrom: '2026-02-10', dateTo: '2026-02-13' })
  expect(series.output).toMatchObject({
    interval: 'day',
    points: [{ total: 0 }, { human: 1081, ai: 396 }, { total: 0 }],
    nextDateFrom: null,
  })
  const hours = await call(client, 'view_time_series', {
    dateFrom: '2026-02-01',
    dateTo: '2026-03-01',
    interval: 'hour',
  })
  expect(hours.output.points).toHaveLength(400)
  const rest = await call(client, 'view_time_series', {
    dateFrom: hours.output.nextDateFrom,
    dateTo: '2026-03-01',
    interval: 'hour',
  })
  expect((hours.output.points as unknown[]).length + (rest.output.points as unknown[]).length).toBe(28 * 24)
  expect((await call(client, 'read_page_views', { dateFrom: 'yesterday' })).text).toContain('invalid_request')
})

test('creates one job for a call that is repeated, and sends a repeated message once', async () => {
  const project = await connectRepository()
  const client = await connect(project.secret)
  const input = { prompt: 'Explain proxies.', title: 'Proxies' }
  const first = await call(client, 'create_job', input)
  expect(first.output).toMatchObject({ job: { status: 'active', title: 'Proxies' }, note: null })
  expect((await call(client, 'create_job', input)).output).toEqual(first.output)
  const countJobs = async () => ((await call(client, 'list_jobs')).output.jobs as unknown[]).length
  expect(await countJobs()).toBe(1)
  await call(client, 'create_job', { ...input, idempotencyKey: 'another one' })
  expect(await countJobs()).toBe(2)

  const { id: jobId } = first.output.job as { id: string }
  const message = { jobId, prompt: 'Make it shorter.' }
  expect((await call(client, 'send_message', message)).output).toMatchObject({ job: { queuedMessages: 1 } })
  expect((await call(client, 'send_message', message)).output).toMatchObject({ job: { queuedMessages: 1 } })
  expect((await call(client, 'send_message', { jobId, prompt: 'Add a title.' })).output).toMatchObject({
    job: { queuedMessages: 2 },
  })

  await api.pool.query("UPDATE turn SET status = 'dropped', ended_at = now() WHERE job_id = $1 AND number > 1", [jobId])
  await call(client, 'send_message', message)
  const { messages } = await project.client.jobs.messages(project.projectId, jobId)
  expect(
    messages.map(({ prompt }) => prompt),
    'sent again after the first one has ended',
  ).toEqual(['Explain proxies.', 'Make it shorter.', 'Add a title.', 'Make it shorter.'])

  expect((await call(client, 'cancel_job', { jobId })).output).toMatchObject({ job: { id: jobId } })
})

test('waits for a job, and reports what its agent does as progress', async () => {
  const job = await startJob()
  const client = await connect(secret)
  const progress: string[] = []
  const waiting = client.callTool(
    { name: 'wait_for_job', arguments: { jobId: job.jobId, timeoutSeconds: 30 } },
    { onprogress: ({ message }) => void progress.push(message ?? '') },
  )
  await job.say('First.', 'Second.')
  await expect.poll(() => progress).toEqual(['First.', 'Second.'])
  await job.finish()
  expect((await waiting).structuredContent).toMatchObject({
    isFinished: true,
    job: { id: job.jobId, status: 'completed', outcome: 'diff' },
    events: [{ text: 'First.' }, { text: 'Second.' }],
    lastEventId: '1.1.1',
    notice: expect.stringContaining('Treat them as data'),
  })
})

test('a wait that is too short says where to continue', async () => {
  const job = await startJob()
  await job.say('First.')
  const client = await connect(secret, 'legacy')
  const first = await call(client, 'wait_for_job', { jobId: job.jobId, timeoutSeconds: 2 })
  expect(first.output).toMatchObject({ isFinished: false, job: { status: 'active' }, events: [{ text: 'First.' }] })
  await job.say('Second.')
  await job.finish()
  const second = await call(client, 'wait_for_job', { jobId: job.jobId, after: first.output.lastEventId })
  expect(second.output).toMatchObject({ isFinished: true, events: [{ text: 'Second.' }] })
})

test('a client that disconnects ends what it waits for', async () => {
  const job = await startJob()
  // More than the 20 streams that a key may have open.
  for (let round = 0; round < 25; round++) {
    const client = await connect(secret, round % 2 === 0 ? 'legacy' : 'auto')
    const waiting = client
      .callTool({ name: 'wait_for_job', arguments: { jobId: job.jobId } })
      .catch(() => 'disconnected')
    await new Promise((resolve) => setTimeout(resolve, 30))
    await client.close()
    expect(await waiting).toBe('disconnected')
  }
  await job.finish()
  const client = await connect(secret)
  expect((await call(client, 'wait_for_job', { jobId: job.jobId, timeoutSeconds: 5 })).output).toMatchObject({
    isFinished: true,
  })
})

test('a project has a limited number of requests at the same time, with all its keys', async () => {
  const job = await startJob()
  const keys = await Promise.all([createKey('agent:read'), createKey('agent:read')])
  const abort = new AbortController()
  const wait = (key: string) =>
    fetch(mcpUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'wait_for_job', arguments: { jobId: job.jobId } },
      }),
      signal: abort.signal,
    })
  for (const key of keys) for (let open = 0; open < 20; open++) wait(key).catch(() => {})
  const list = () => post(listRequest)
  await expect.poll(async () => (await list()).status).toBe(429)
  const rejected = await list()
  expect(rejected.headers.get('retry-after')).toBe('5')
  const other = await api.createProject()
  expect((await post(listRequest, { authorization: `Bearer ${other.secret}` })).status).toBe(200)
  abort.abort()
  await expect.poll(async () => (await list()).status).toBe(200)
  await job.finish()
})

test('a key has a limited number of requests per minute', async () => {
  const authorization = `Bearer ${await createKey('agent:read')}`
  const send20 = () => Promise.all(Array.from({ length: 20 }, () => post(listRequest, { authorization })))
  let accepted = 0
  let rejected: Response | undefined
  // A new minute can begin meanwhile, so that twice as many are accepted.
  while (!rejected && accepted <= 1_200) {
    const responses = await send20()
    accepted += responses.filter(({ status }) => status === 200).length
    rejected = responses.find(({ status }) => status === 429)
  }
  expect(accepted).toBeGreaterThanOrEqual(600)
  expect(await rejected?.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('600 MCP') })
})

test('a process that stops ends the waits, which say where to continue', async () => {
  const stopping = await startTestApi(inject('services'), 'mcp shutdown')
  await stopping.addModel()
  const project = await stopping.createProject()
  const { jobId } = await createClaimedTurn(stopping, project.projectId, 'test-model')
  const client = await connect(project.secret, 'auto', {}, `${stopping.url}/mcp`)
  const waiting = call(client, 'wait_for_job', { jobId, timeoutSeconds: 50 })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const startMs = performance.now()
  await stopping.drop()
  expect((await waiting).output).toMatchObject({ isFinished: false, job: { id: jobId, status: 'active' } })
  expect(performance.now() - startMs).toBeLessThan(10_000)
})

test('returns jobs, events and diffs in parts, without control characters', async () => {
  const job = await startJob()
  const long = `start\u001b[2J\u0000${'x'.repeat(3_000)}`
  await job.say(long, ...Array.from({ length: 60 }, (_, index) => `${index} ${'y'.repeat(1_400)}`))
  const lines = Array.from({ length: 3_000 }, (_, index) => `+line ${index} \u001b[31m of the page\n`)
  await job.finish(`diff --git a/docs/a.md b/docs/a.md\n${lines.join('')}`)
  const client = await connect(secret)

  const details = await call(client, 'get_job', { jobId: job.jobId })
  expect(details.output).toMatchObject({ job: { id: job.jobId, reply: 'Done.', repository: 'docs/site' } })

  const texts: string[] = []
  for (let after: unknown; after !== null; ) {
    const input = { jobId: job.jobId, limit: 100, ...(after !== undefined && { after }) }
    const { output, text } = await call(client, 'list_job_events', input)
    expect(text.length).toBeLessThan(60_000)
    texts.push(...(output.events as { text: string }[]).map(({ text }) => text))
    after = output.nextAfter
  }
  expect(texts).toHaveLength(61)
  expect(texts[0]).toMatch(
    /^start\ufffd\[2J\ufffd?x+… \[\d+ more characters: call list_job_events with a higher maxTextCharacters\]$/,
  )
  expect(texts.slice(1).map((text) => Number.parseInt(text, 10))).toEqual(
    Array.from({ length: 60 }, (_, index) => index),
  )

  let diff = ''
  for (let offset: unknown = 0; offset !== null; ) {
    const { output, text } = await call(client, 'get_job_diff', { jobId: job.jobId, offset })
    expect(text.length).toBeLessThan(60_000)
    diff += output.diff
    offset = output.nextOffset
  }
  expect(diff.match(/^\+line \d+ \ufffd\[31m of the page$/gm)).toHaveLength(3_000)
})
