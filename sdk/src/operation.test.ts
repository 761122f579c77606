/** The client has a function for every operation of the API contract, and each sends the request that the contract describes. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, expect, expectTypeOf, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import type { ColophonError, ErrorCode } from './colophon-error.ts'
import type {
  Readiness as ContractReadiness,
  CreateFederatedIdentityData,
  CreateWebhookEndpointData,
} from './generated/types.gen.ts'
import type { Readiness } from './health.ts'
import type { PagedList } from './paged-list.ts'

interface Received {
  method: string | undefined
  url: string | undefined
  type: string | undefined
  idempotencyKey?: string | undefined
  body: string
}

let server: Server
let client: Client
let received: Received[] = []
let respond: (request: IncomingMessage) => {
  status: number
  body: object
  type?: string | undefined
  retryAfter?: string
}

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const idempotencyKey = headers['idempotency-key'] as string | undefined
    received.push({ method, url, type: headers['content-type'], body: await text(request), idempotencyKey })
    const {
      status,
      body,
      retryAfter,
      type = status < 400 ? 'application/json' : 'application/problem+json; charset=utf-8',
    } = respond(request)
    response
      .writeHead(status, { 'content-type': type, ...(retryAfter && { 'retry-after': retryAfter }) })
      .end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'colophon_x' })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  received = []
  respond = () => ({ status: 200, body: { ok: true } })
})

const alive = { status: 'alive', version: '1' }
const ready = { status: 'ready', version: '1', components: {} }

const connection = {
  host: 'gitea' as const,
  url: 'https://git.example.com',
  owner: 'docs',
  name: 'handbook',
  baseBranch: 'main',
  docsFolder: 'docs',
  token: 'secret',
}
const signedChallenge = {
  id: 'a',
  response: { clientDataJSON: 'b', authenticatorData: 'c', signature: 'd', userHandle: null },
}
const newPasskey = {
  name: 'Laptop',
  credential: { id: 'a', response: { clientDataJSON: 'b', attestationObject: 'c', transports: [] } },
}
const githubUrl = { baseUrl: 'https://github.com' }
const callback = { code: 'a-code', state: 'a-state' }
const repositoryChoice = { authorizationId: 'gha_1', repositoryId: 1, baseBranch: 'main', docsFolder: 'docs' }
const model = {
  name: 'm',
  format: 'openai-responses' as const,
  baseUrl: 'https://api.example.com/v1',
  providerModel: 'm',
  contextWindowTokens: 1,
  maxOutputTokens: 1,
  projectIds: null,
  isDefault: false,
  key: null,
  prices: { input: null, output: null, cacheRead: null, cacheWrite: null },
}

const login = { email: 'a@example.com', password: 'a long sentence' }

/** By operation ID; `{name}` is the value of the path parameter of that name. */
const endpoint = {
  kind: 'webhook',
  name: 'CI',
  target: 'https://ci.example.com/',
  events: ['job.failed'],
} satisfies CreateWebhookEndpointData['body']

const identity = {
  name: 'CI',
  provider: 'github',
  claims: { repository: 'acme/product', ref: 'refs/heads/main' },
} satisfies CreateFederatedIdentityData['body']

const calls: Record<
  string,
  { call: () => Promise<unknown>; query?: string; body?: object; response?: object; type?: string }
> = {
  getHealth: { call: () => client.health(), response: alive },
  getReadiness: { call: () => client.readiness(), response: ready },
  getMe: { call: () => client.me() },
  getSession: { call: () => client.session.get() },
  signIn: { call: () => client.session.signIn(login), body: login },
  verifySecondFactor: {
    call: () => client.session.verifySecondFactor({ code: '123456' }),
    body: { code: '123456' },
  },
  createAuthenticator: {
    call: () => client.session.createAuthenticator({ password: 'a' }),
    body: { password: 'a' },
  },
  confirmAuthenticator: {
    call: () => client.session.confirmAuthenticator({ code: '123456' }),
    body: { code: '123456' },
  },
  removeAuthenticator: {
    call: () => client.session.removeAuthenticator({ password: 'a' }),
    body: { password: 'a' },
  },
  createRecoveryCodes: {
    call: () => client.session.createRecoveryCodes({ password: 'a' }),
    body: { password: 'a' },
  },
  getRequiredSecondFactor: { call: () => client.members.getSecondFactorRule('{projectId}') },
  requireSecondFactor: {
    call: () => client.members.requireSecondFactor('{projectId}', { required: true }),
    body: { required: true },
  },
  startPasskeySignIn: { call: () => client.session.startPasskeySignIn() },
  signInWithPasskey: { call: () => client.session.signInWithPasskey(signedChallenge), body: signedChallenge },
  listPasskeys: { call: () => client.session.listPasskeys() },
  startPasskey: { call: () => client.session.startPasskey() },
  addPasskey: { call: () => client.session.addPasskey(newPasskey), body: newPasskey },
  removePasskey: { call: () => client.session.removePasskey('{passkeyId}') },
  signOut: { call: () => client.session.signOut() },
  endOtherSessions: { call: () => client.session.endOthers(), query: '?except=current' },
  listSessions: { call: () => client.session.list() },
  endSession: { call: () => client.session.end('{sessionId}') },
  dismissFailedSignIns: { call: () => client.session.dismissFailedSignIns() },
  startProviderSignIn: {
    call: () => client.session.startProviderSignIn({ purpose: 'sign_in', returnTo: '/' }),
    body: { purpose: 'sign_in', returnTo: '/' },
  },
  createFirstOwner: {
    call: () => client.session.createFirstOwner({ token: 't', name: 'A', ...login }),
    body: { token: 't', name: 'A', ...login },
  },
  changePassword: {
    call: () => client.session.changePassword({ currentPassword: 'a', newPassword: 'b' }),
    body: { currentPassword: 'a', newPassword: 'b' },
  },
  resetPassword: {
    call: () => client.session.resetPassword({ token: 't', newPassword: 'b' }),
    body: { token: 't', newPassword: 'b' },
  },
  listInvitations: { call: () => client.invitations.list('{projectId}') },
  createInvitation: {
    call: () => client.invitations.create('{projectId}', { email: 'a@example.com', role: 'viewer' }),
    body: { email: 'a@example.com', role: 'viewer' },
  },
  revokeInvitation: { call: () => client.invitations.revoke('{projectId}', '{invitationId}') },
  lookUpInvitation: { call: () => client.invitations.lookUp({ token: 't' }), body: { token: 't' } },
  acceptInvitation: { call: () => client.invitations.accept({ token: 't' }), body: { token: 't' } },
  listProjects: { call: () => client.projects.list() },
  createProject: { call: () => client.projects.create({ name: 'Docs' }), body: { name: 'Docs' } },
  getProject: { call: () => client.projects.get('{projectId}') },
  renameProject: { call: () => client.projects.rename('{projectId}', { name: 'Docs' }), body: { name: 'Docs' } },
  exportProject: {
    call: async () => new Response(await client.projects.export('{projectId}')).json(),
    type: 'application/gzip',
  },
  deleteProject: { call: () => client.projects.delete('{projectId}', 'Docs'), query: '?name=Docs' },
  listMembers: { call: () => client.members.list('{projectId}') },
  addMember: {
    call: () => client.members.add('{projectId}', { email: 'a@example.com', role: 'editor' }),
    body: { email: 'a@example.com', role: 'editor' },
  },
  changeMemberRole: {
    call: () => client.members.changeRole('{projectId}', '{memberId}', { role: 'viewer' }),
    body: { role: 'viewer' },
  },
  listCreatedAccess: { call: () => client.members.listCreated('{projectId}', '{memberId}') },
  removeMember: { call: () => client.members.remove('{projectId}', '{memberId}') },
  listPeople: { call: () => client.people.list() },
  listPersonCreatedAccess: { call: () => client.people.listCreated('{personId}') },
  disablePerson: { call: () => client.people.disable('{personId}', { keep: ['key_1'] }), body: { keep: ['key_1'] } },
  enablePerson: { call: () => client.people.enable('{personId}') },
  deletePerson: { call: () => client.people.delete('{personId}') },
  endSessions: { call: () => client.people.endSessions('{personId}') },
  addOperator: { call: () => client.people.addOperator('{personId}') },
  revokeOperator: { call: () => client.people.revokeOperator('{personId}') },
  listInstanceAuditEntries: { call: () => client.audit.listInstance() },
  listKeys: { call: () => client.keys.list('{projectId}') },
  createKey: {
    call: () => client.keys.create('{projectId}', { name: 'CI', scopes: ['agent:write'] }),
    body: { name: 'CI', scopes: ['agent:write'] },
  },
  revokeKey: { call: () => client.keys.revoke('{projectId}', '{keyId}') },
  createJob: {
    call: () => client.jobs.create('{projectId}', { prompt: 'Fix the links.' }),
    body: { prompt: 'Fix the links.' },
  },
  getJob: { call: () => client.jobs.get('{projectId}', '{id}') },
  sendMessage: {
    call: () => client.jobs.sendMessage('{projectId}', '{id}', { prompt: 'More.' }),
    body: { prompt: 'More.' },
  },
  listJobs: { call: () => client.jobs.list('{projectId}') },
  listMessages: { call: () => client.jobs.messages('{projectId}', '{id}') },
  listModels: { call: () => client.jobs.models('{projectId}') },
  getDiff: { call: () => client.jobs.diff('{projectId}', '{id}') },
  listEvents: { call: () => client.jobs.events('{projectId}', '{id}') },
  approveResult: {
    call: () => client.jobs.approve('{projectId}', '{id}', { diffSha256: 'a' }),
    body: { diffSha256: 'a' },
  },
  rejectResult: {
    call: () => client.jobs.reject('{projectId}', '{id}', { diffSha256: 'a' }),
    body: { diffSha256: 'a' },
  },
  cancelJob: { call: () => client.jobs.cancel('{projectId}', '{id}') },
  archiveJob: { call: () => client.jobs.archive('{projectId}', '{id}') },
  ingestViews: {
    call: () => client.views.ingest('{projectId}', { views: [{ path: '/a', userAgent: '' }] }),
    body: { views: [{ path: '/a', userAgent: '' }] },
  },
  listViews: { call: () => client.views.list('{projectId}') },
  exportViews: {
    call: async () => new Response(await client.views.exportCsv('{projectId}')).json(),
    type: 'text/csv; charset=utf-8',
  },
  getViewTimeseries: { call: () => client.views.timeseries('{projectId}') },
  listClients: { call: () => client.views.clients('{projectId}') },
  getCoverage: { call: () => client.views.coverage('{projectId}') },
  listSources: { call: () => client.views.sources('{projectId}') },
  listLiveEvents: { call: () => client.views.liveEvents('{projectId}') },
  classifyClient: { call: () => client.views.classify('{projectId}', {}) },
  getAnalyticsSettings: { call: () => client.views.settings('{projectId}') },
  changeAnalyticsSettings: {
    call: () => client.views.changeSettings('{projectId}', { aiScope: 'assistants' }),
    body: { aiScope: 'assistants' },
  },
  listSiteKeys: { call: () => client.views.siteKeys('{projectId}') },
  createSiteKey: { call: () => client.views.createSiteKey('{projectId}') },
  revokeSiteKey: { call: () => client.views.revokeSiteKey('{projectId}', '{siteKey}') },
  listLogDrains: { call: () => client.views.logDrains('{projectId}') },
  createLogDrain: {
    call: () => client.views.createLogDrain('{projectId}', { name: 'Docs', format: 'vercel' }),
    body: { name: 'Docs', format: 'vercel' },
  },
  changeLogDrain: {
    call: () => client.views.changeLogDrain('{projectId}', '{logDrainId}', { host: null }),
    body: { host: null },
  },
  deleteLogDrain: { call: () => client.views.deleteLogDrain('{projectId}', '{logDrainId}') },
  getSetup: { call: () => client.projects.setup('{projectId}') },
  getRepository: { call: () => client.repository.get('{projectId}') },
  testRepository: { call: () => client.repository.test('{projectId}', connection), body: connection },
  connectRepository: { call: () => client.repository.connect('{projectId}', connection), body: connection },
  changeRepository: {
    call: () => client.repository.change('{projectId}', { docsFolder: 'docs' }),
    body: { docsFolder: 'docs' },
  },
  changePublishingRules: {
    call: () => client.repository.changeRules('{projectId}', { allowedPaths: ['openapi.yaml'] }),
    body: { allowedPaths: ['openapi.yaml'] },
  },
  listGithubApps: { call: () => client.github.apps() },
  startGithubApp: { call: () => client.github.startApp(githubUrl), body: githubUrl },
  completeGithubApp: { call: () => client.github.completeApp(callback), body: callback },
  startGithubAuthorization: { call: () => client.github.startAuthorization('{projectId}', githubUrl), body: githubUrl },
  completeGithubAuthorization: {
    call: () => client.github.completeAuthorization('{projectId}', callback),
    body: callback,
  },
  testGithubRepository: {
    call: () => client.github.testRepository('{projectId}', repositoryChoice),
    body: repositoryChoice,
  },
  connectGithubRepository: {
    call: () => client.github.connectRepository('{projectId}', repositoryChoice),
    body: repositoryChoice,
  },
  getProjectSettings: { call: () => client.projects.settings('{projectId}') },
  changeProjectSettings: {
    call: () => client.projects.changeSettings('{projectId}', { instructions: 'Be brief.' }),
    body: { instructions: 'Be brief.' },
  },
  pauseProject: { call: () => client.projects.pause('{projectId}') },
  resumeProject: { call: () => client.projects.resume('{projectId}') },
  getProjectHealth: { call: () => client.projects.health('{projectId}') },
  listFederatedIdentities: { call: () => client.federation.list('{projectId}') },
  createFederatedIdentity: { call: () => client.federation.create('{projectId}', identity), body: identity },
  deleteFederatedIdentity: { call: () => client.federation.delete('{projectId}', '{identityId}') },
  exchangeToken: {
    call: () => client.federation.exchangeToken('{projectId}', { token: 'a.b.c' }),
    body: { token: 'a.b.c' },
  },
  listRunners: { call: () => client.runners.list('{projectId}') },
  createRunner: { call: () => client.runners.create('{projectId}', { name: 'one' }), body: { name: 'one' } },
  rotateRunnerToken: {
    call: () => client.runners.rotateToken('{projectId}', '{runnerId}', { overlapHours: 1 }),
    body: { overlapHours: 1 },
  },
  revokeRunner: { call: () => client.runners.revoke('{projectId}', '{runnerId}') },
  listWebhookEndpoints: { call: () => client.webhooks.list('{projectId}') },
  createWebhookEndpoint: { call: () => client.webhooks.create('{projectId}', endpoint), body: endpoint },
  changeWebhookEndpoint: {
    call: () => client.webhooks.change('{projectId}', '{endpointId}', { isEnabled: true }),
    body: { isEnabled: true },
  },
  rotateWebhookSecret: {
    call: () => client.webhooks.rotateSecret('{projectId}', '{endpointId}', { overlapHours: 1 }),
    body: { overlapHours: 1 },
  },
  testWebhookEndpoint: { call: () => client.webhooks.test('{projectId}', '{endpointId}') },
  deleteWebhookEndpoint: { call: () => client.webhooks.delete('{projectId}', '{endpointId}') },
  listWebhookDeliveries: {
    call: () => client.webhooks.listDeliveries('{projectId}', '{endpointId}', { status: 'failed' }),
    query: '?status=failed',
  },
  getWebhookDelivery: { call: () => client.webhooks.getDelivery('{projectId}', '{endpointId}', '{deliveryId}') },
  resendWebhookDelivery: { call: () => client.webhooks.resend('{projectId}', '{endpointId}', '{deliveryId}') },
  testProjectModel: { call: () => client.jobs.testModel('{projectId}', { model: 'm' }), body: { model: 'm' } },
  listInstanceModels: { call: () => client.models.list() },
  testModel: { call: () => client.models.test(model), body: model },
  addModel: { call: () => client.models.add(model), body: model },
  removeModel: { call: () => client.models.remove('{modelName}') },
  setDefaultModel: { call: () => client.models.setDefault('{modelName}') },
  getProjectSpend: { call: () => client.spend.project('{projectId}') },
  getInstanceSpend: { call: () => client.spend.instance() },
  getInstanceStatus: { call: () => client.instance.status() },
  listAuditEntries: { call: () => client.audit.list('{projectId}') },
}

const contract = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, ContractOperation>>
  components: { schemas: Record<string, { properties?: object }> }
}
const operations = Object.entries(contract.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
  .filter(({ operationId }) => operationId !== 'collectView') // called by the page view script in browsers, not by the client

test.each(operations)('$operationId is $method $path', async ({ operationId, method, path }) => {
  const { call, query = '', body, type, response: expected = { ok: true } } = calls[operationId] ?? {}
  if (!call) throw new Error(`the client has no function for ${operationId}`)
  respond = () => ({ status: 200, body: expected, type })
  expect(await call()).toEqual(expected)
  expect(received).toMatchObject([
    {
      method,
      url: path.replaceAll(/[{}]/g, encodeURIComponent) + query,
      type: body && 'application/json',
      body: body ? JSON.stringify(body) : '',
    },
  ])
})

test('sends a query and omits parameters that are not given', async () => {
  await client.audit.list('prj_1', { limit: 2, cursor: 'aud_1' })
  await client.audit.list('prj_1', { limit: 2 })
  expect(received.map(({ url }) => url)).toEqual([
    '/v2/projects/prj_1/audit?limit=2&cursor=aud_1',
    '/v2/projects/prj_1/audit?limit=2',
  ])
})

interface ContractOperation {
  operationId: string
  parameters?: { name: string }[]
  responses: Record<string, { content?: Record<string, { schema?: { properties?: object; $ref?: string } }> }>
}

/** The fields of the successful response. */
function responseFields({ responses }: ContractOperation): string[] {
  const schema = responses['200']?.content?.['application/json']?.schema
  const { properties = {} } =
    schema?.$ref === undefined
      ? (schema ?? {})
      : (contract.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  return Object.keys(properties)
}

const pagedOperations = operations.filter((operation) =>
  responseFields(operation).some((field) => /^(next[A-Z]|hasMore$)/.test(field)),
)

test.each(pagedOperations)('$operationId is one page if awaited, and everything if iterated', async (operation) => {
  const position = responseFields(operation).find((field) => /^(next[A-Z]|hasMore$)/.test(field)) ?? ''
  const list =
    responseFields(operation).find((field) => field !== position && field !== 'totals' && field !== 'coverage') ?? ''
  const parameter = position === 'hasMore' ? 'offset' : position.slice('next'.length).toLowerCase()
  const pages = [
    { [list]: ['a', 'b'], [position]: position === 'hasMore' ? true : 2 },
    { [list]: ['c'], [position]: position === 'hasMore' ? false : null },
  ]
  respond = ({ url = '' }) => ({ status: 200, body: pages[url.includes(`${parameter}=2`) ? 1 : 0] ?? {} })
  const call = calls[operation.operationId]?.call as () => PagedList<object, unknown>
  expect(await call()).toEqual(pages[0])
  expect(received).toHaveLength(1)

  const items: unknown[] = []
  for await (const item of call()) items.push(item)
  expect(items.toSorted()).toEqual(['a', 'b', 'c'])
  expect(received).toHaveLength(3)

  for await (const _item of call()) break
  expect(received, 'a page is requested only when the iteration reaches it').toHaveLength(4)
})

test('finds the paged operations', () => {
  expect(pagedOperations.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(['listJobs', 'listMessages', 'listEvents', 'listViews', 'listKeys', 'listAuditEntries']),
  )
})

test('iterates pages with the rest of the query', async () => {
  const pages: Record<string, object> = {
    '/v2/projects/prj_1/audit?limit=2': { entries: [{ id: 'aud_3' }, { id: 'aud_2' }], nextCursor: 'aud_2' },
    '/v2/projects/prj_1/audit?limit=2&cursor=aud_2': { entries: [{ id: 'aud_1' }], nextCursor: null },
  }
  respond = ({ url = '' }) => ({ status: 200, body: pages[url] ?? {} })
  const ids: string[] = []
  for await (const { id } of client.audit.list('prj_1', { limit: 2 })) ids.push(id)
  expect(ids).toEqual(['aud_3', 'aud_2', 'aud_1'])
})

const withoutRetries = new Set(['getHealth', 'getReadiness']) // they report the current state

test.each(operations)(
  '$operationId is retried only if it is safe to repeat',
  async ({ operationId, method, parameters }) => {
    const { call, response: expected = { ok: true }, type } = calls[operationId] ?? {}
    const takesKey = parameters?.some(({ name }) => name === 'idempotency-key') === true
    const isRetried = (method === 'GET' || takesKey) && !withoutRetries.has(operationId)
    const problem = { code: 'unavailable', detail: 'Wait.', requestId: 'req_1' }
    respond = () =>
      received.length === 1 ? { status: 503, body: problem, retryAfter: '0' } : { status: 200, body: expected, type }
    const outcome = await call?.().catch((error: ColophonError) => error.code)
    expect(outcome).toEqual(isRetried ? expected : 'unavailable')
    expect(received).toHaveLength(isRetried ? 2 : 1)
    const keys = received.map(({ idempotencyKey }) => idempotencyKey)
    expect(new Set(keys).size, 'a retry has the same key').toBe(1)
    expect(keys[0] !== undefined).toBe(takesKey)
  },
)

test('throws a rejected write with its code, even one that this client does not know', async () => {
  const problem = { detail: 'No.', requestId: 'req_1' }
  respond = () => ({ status: 403, body: { ...problem, code: 'insufficient_scope' } })
  await expect(client.projects.rename('prj_1', { name: 'x' })).rejects.toMatchObject({
    code: 'insufficient_scope',
    status: 403,
    requestId: 'req_1',
  })
  respond = () => ({ status: 409, body: { ...problem, code: 'added_in_a_newer_version' } })
  await expect(client.keys.revoke('prj_1', 'key_1')).rejects.toMatchObject({ code: 'added_in_a_newer_version' })
})

test('rejects a response body that is not an object', async () => {
  respond = () => ({ status: 200, body: [] })
  await expect(client.me()).rejects.toMatchObject({ code: 'unexpected_response' })
})

test('rejects an invalid ID before it sends anything', async () => {
  await expect(client.keys.revoke('prj_1', '..')).rejects.toThrow(TypeError)
  expect(received).toEqual([])
})

test('types match the API contract', () => {
  expectTypeOf<ContractReadiness>().toExtend<Readiness>()
  expectTypeOf<'rate_limited' | 'timeout' | 'added_in_a_newer_version'>().toExtend<ErrorCode>()
  // @ts-expect-error: no such role
  const wrongRole = () => client.members.changeRole('prj_1', 'mbr_1', { role: 'king' })
  // @ts-expect-error: no such field
  const wrongField = () => client.projects.rename('prj_1', { name: 'x', title: 'y' })
  expect([wrongRole, wrongField]).toHaveLength(2)
})
