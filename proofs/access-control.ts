/** Calls every route with every kind of credential: the response is exactly the documented one, and the right key is accepted. */

import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type ApiDeps, createApi } from '../server/src/api/app.ts'
import { generateKey } from '../server/src/keys/key-format.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { createLog } from '../server/src/platform/log.ts'
import { type Colophon, type ProjectWithKey, prepareColophon } from '../testing/harness/colophon.ts'
import { createHourlyLimitReset, type ResetHourlyLimits } from '../testing/harness/hourly-limit-reset.ts'
import { formatBearerHeader, type HttpResponse, sendHttpRequest } from '../testing/harness/http-call.ts'
import { startRelay } from '../testing/harness/relay/relay.ts'
import { type KeyGrant, operator } from '../testing/harness/test-instance.ts'
import {
  type ApiOperation,
  createExampleSiteKey,
  createUrlWithExampleResources,
  readApiOperations,
} from './judges/route-examples.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'Access rules hold on every route for every kind of credential, and a revoked key stops working at once'

type Expected = { kind: 'accepted' } | { kind: 'rejected'; status: number; code: string }
const accepted: Expected = { kind: 'accepted' }
const unauthenticated: Expected = { kind: 'rejected', status: 401, code: 'unauthenticated' }
const rejected = (status: number, code: string): Expected => ({ kind: 'rejected', status, code })

interface Credential {
  name: string
  headers: (access: string) => string[]
  /** On routes that require a scope. */
  expected: Expected
  /** On routes that accept any valid key. */
  expectedForAnyKey: Expected
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'keys')
  const replica = await colophon.start('api')
  const behindProxy = await colophon.start('api', { COLOPHON_TRUSTED_PROXIES: '127.0.0.1' })
  const ownProject = await colophon.connectProject('Own')
  const otherProject = await colophon.createProject('Others')
  const operations = await readApiOperations(replica.url)
  const resetHourlyLimits = createHourlyLimitReset(colophon)

  await createExampleSiteKey(operations, colophon.postgresUrl, ownProject.projectId)
  await checkEveryRouteIsDocumented(run, operations)
  await everyRouteWithEveryCredential(
    run,
    replica.url,
    operations,
    await createCredentials(colophon, ownProject, otherProject),
    ownProject,
    resetHourlyLimits,
  )
  await wrongChecksumSendsNoSql(run, colophon)
  await revocationIsImmediate(run, [replica.url, behindProxy.url], () => colophon.createProject('Keys'))
  await delayedBodies(run, replica.url, ownProject)
  await forgedAddresses(run, colophon, [replica.url, behindProxy.url], ownProject)
  await randomHeaders(run, replica.url)
  await everyChangeIsAudited(run, replica.url, ownProject)
}

/** `/mcp` has its own protocol, which describes itself. Its tools call documented routes with the key of the caller. */
const undocumentedRoutes: Readonly<Record<string, string>> = { 'POST /mcp': 'any-key' }

/** Compares the registered routes with the OpenAPI document. Other undocumented routes must be public or check a signature. */
async function checkEveryRouteIsDocumented(run: ProofRun, operations: readonly ApiOperation[]): Promise<void> {
  const listen = { host: '127.0.0.1', port: 0 }
  const log = createLog('test', { level: 'error' })
  const { server, declaredRoutes } = createApi(
    { publicUrl: 'http://localhost', github: { baseUrls: [] as readonly string[] } } as ApiDeps,
    { listen, tls: undefined, trustedProxies: [], shutdownDelaySeconds: 0 },
    log,
  )
  await server.ready() // some routes are registered only then
  const documented = new Map(operations.map(({ method, path, access }) => [`${method} ${path}`, access]))
  for (const { method, url, access } of declaredRoutes) {
    const name = `${method === 'HEAD' ? 'GET' : method} ${url.replace(/:(\w+)/g, '{$1}')}`
    const isDocumented = documented.has(name)
      ? documented.get(name) === access
      : access === 'public' || access === 'signature' || undocumentedRoutes[name] === access
    run.check(
      isDocumented,
      `${method} ${url} is documented with access ${access}: ${documented.get(name) ?? 'not documented'}`,
    )
  }
  run.figure('registered routes', `${declaredRoutes.length} (${operations.length} documented operations)`)
}

async function createCredentials(
  colophon: Colophon,
  ownProject: ProjectWithKey,
  otherProject: ProjectWithKey,
): Promise<Credential[]> {
  const { stores, pool } = colophon
  const createKey = (grant?: KeyGrant) => colophon.createKey(ownProject.projectId, grant)
  const revoked = await createKey()
  await stores.keys.revoke(ownProject.projectId, revoked.key.id, operator)
  const expired = await createKey()
  await pool.query("UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1", [expired.key.id])
  const wrongNetwork = await createKey({ allowedNetworks: ['203.0.113.0/24'] })
  const withoutScope = new Map<string, string>()
  for (const scope of scopes)
    withoutScope.set(
      scope,
      (await createKey({ scopes: scopes.filter((other) => other !== scope && other !== 'project:write') })).secret,
    )

  const invalid = (name: string, ...headers: string[]): Credential => ({
    name,
    headers: () => headers,
    expected: unauthenticated,
    expectedForAnyKey: unauthenticated,
  })
  const lastCharacter = ownProject.key.at(-1) === 'a' ? 'b' : 'a'
  return [
    {
      name: 'the right key',
      headers: () => formatBearerHeader(ownProject.key),
      expected: accepted,
      expectedForAnyKey: accepted,
    },
    invalid('no key'),
    invalid('a malformed token', 'authorization', 'Bearer garbage'),
    invalid('the Basic scheme', 'authorization', `Basic ${Buffer.from(`user:${ownProject.key}`).toString('base64')}`),
    invalid('a key without a scheme', 'authorization', ownProject.key),
    invalid('a key with a wrong checksum', ...formatBearerHeader(ownProject.key.slice(0, -1) + lastCharacter)),
    invalid('an unknown key', ...formatBearerHeader(generateKey('colophon_'))),
    invalid('a runner token', ...formatBearerHeader(generateKey('colophon_runner_'))),
    invalid('a revoked key', ...formatBearerHeader(revoked.secret)),
    invalid('an expired key', ...formatBearerHeader(expired.secret)),
    invalid('two valid headers', ...formatBearerHeader(ownProject.key), ...formatBearerHeader(ownProject.key)),
    invalid('two headers, one valid', ...formatBearerHeader(ownProject.key), 'authorization', 'Bearer garbage'),
    invalid('a key in the query only'),
    {
      name: "another project's key",
      headers: () => formatBearerHeader(otherProject.key),
      expected: rejected(404, 'not_found'),
      expectedForAnyKey: accepted,
    },
    {
      name: 'a key without the scope',
      headers: (access) => formatBearerHeader(withoutScope.get(access) ?? ownProject.key),
      expected: rejected(403, 'insufficient_scope'),
      expectedForAnyKey: accepted,
    },
    {
      name: 'a key for another network',
      headers: () => formatBearerHeader(wrongNetwork.secret),
      expected: rejected(403, 'ip_not_allowed'),
      expectedForAnyKey: rejected(403, 'ip_not_allowed'),
    },
  ]
}

async function everyRouteWithEveryCredential(
  run: ProofRun,
  apiUrl: string,
  operations: readonly ApiOperation[],
  credentials: readonly Credential[],
  ownProject: ProjectWithKey,
  resetHourlyLimits: ResetHourlyLimits,
): Promise<void> {
  let requests = 0
  for (const operation of operations) {
    await resetHourlyLimits()
    for (const method of operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]) {
      for (const credential of credentials) {
        const url = await createUrlWithExampleResources(apiUrl, operation, ownProject)
        const query =
          credential.name === 'a key in the query only'
            ? `?authorization=Bearer%20${ownProject.key}&access_token=${ownProject.key}`
            : ''
        const body = operation.bodyExample === undefined ? {} : { body: JSON.stringify(operation.bodyExample) }
        const type = operation.bodyExample === undefined ? [] : ['content-type', 'application/json']
        const headers = [...credential.headers(operation.access), ...type]
        const response = await sendHttpRequest({ method, url: url + query, headers, ...body })
        const expected = expectedAt(operation, credential)
        checkResponse(run, `${method} ${operation.path} with ${credential.name}`, response, expected, method === 'HEAD')
        requests++
      }
    }
  }
  run.log(`${operations.length} operations × ${credentials.length} credentials`)
  run.figure('requests, every route with every credential', requests)
}

function expectedAt({ method, path, access }: ApiOperation, { expectedForAnyKey, expected }: Credential): Expected {
  if (access === 'session' || access === 'operator') return unauthenticated // an API key is not a session
  if (access === 'any-key') return expectedForAnyKey
  if (method !== 'GET' && sessionOnlyPath.test(path) && expected === accepted)
    return rejected(403, 'insufficient_scope')
  if (access !== 'public') return expected
  if (path === '/v2/projects/{projectId}/token-exchange') return unauthenticated // the example is not signed by an issuer
  return method === 'GET' || path === '/v1/collect' ? accepted : rejected(403, 'cross_origin')
}

/**
 * GitHub authorizations belong to a person, and only a person can change the publishing rules and the second
 * factor rule. An API key is not a person.
 */
const sessionOnlyPath = /^\/v2\/projects\/\{projectId\}\/(?:github\/|repository\/rules$|second-factor$)/

/**
 * Rejections after access was granted. The code host in the example does not exist, so the connection test fails, no result of the
 * example awaits approval, and a project is not deleted without its name.
 */
const rejectionsWithAccess: Readonly<Record<string, number>> = {
  'POST /v2/projects/{projectId}/repository ': 400,
  'POST /v2/agent/{projectId}/job/{id}/approve ': 409,
  'POST /v2/agent/{projectId}/job/{id}/reject ': 409,
  'DELETE /v2/projects/{projectId} ': 400,
}

function checkResponse(
  run: ProofRun,
  name: string,
  response: HttpResponse,
  expected: Expected,
  headOnly: boolean,
): void {
  if (expected.kind === 'accepted') {
    const isRejectedWithAccess = Object.entries(rejectionsWithAccess).some(
      ([route, status]) => name.startsWith(route) && response.status === status,
    )
    run.check(
      isRejectedWithAccess || (response.status >= 200 && response.status < 300),
      `${name} is accepted (${response.status} ${response.text})`,
    )
    return
  }
  run.check(
    response.status === expected.status,
    `${name} returns ${expected.status} (${response.status} ${response.text})`,
  )
  if (expected.status === 401)
    run.check(
      response.headers['www-authenticate'] === 'Bearer',
      `${name} returns WWW-Authenticate: Bearer (${response.headers['www-authenticate']})`,
    )
  if (headOnly) return
  const problem = JSON.parse(response.text) as Record<string, unknown>
  run.check(
    problem.code === expected.code &&
      problem.status === expected.status &&
      problem.requestId === response.headers['x-request-id'] &&
      problem.error === problem.detail &&
      String(response.headers['content-type']).startsWith('application/problem+json'),
    `${name} returns a complete problem document with code ${expected.code} (${response.text})`,
  )
}

/** Measured on the wire, because PostgreSQL's own counters lag by up to ten seconds. */
async function wrongChecksumSendsNoSql(run: ProofRun, colophon: Colophon): Promise<void> {
  const relay = await startRelay(colophon.postgresUrl)
  run.cleanUp(relay.stop)
  const { url } = await colophon.start('api', { COLOPHON_DATABASE_URL: relay.url })
  await sleep(2_000) // after its start, a process checks whether there is a first owner
  const requests = 200
  const sentBytesFor = async (key: () => string) => {
    const before = relay.sentBytes()
    for (let index = 0; index < requests; index++)
      await sendHttpRequest({ method: 'GET', url: `${url}/v2/me`, headers: formatBearerHeader(key()) })
    return relay.sentBytes() - before
  }
  const mistyped = await sentBytesFor(() =>
    generateKey('colophon_').replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
  )
  const unknown = await sentBytesFor(() => generateKey('colophon_'))
  run.check(mistyped === 0, `a key with a wrong checksum causes no SQL (${mistyped} bytes for ${requests} requests)`)
  run.check(unknown > requests * 32, `an unknown key is looked up (${unknown} bytes for ${requests} requests)`)
  run.figure(`bytes sent to PostgreSQL for ${requests} keys with a wrong checksum`, mistyped)
  run.figure(`bytes sent to PostgreSQL for ${requests} unknown keys`, unknown)
}

async function revocationIsImmediate(
  run: ProofRun,
  [first = '', second = '']: string[],
  createProject: () => Promise<ProjectWithKey>,
): Promise<void> {
  const rounds = { ci: 10, stated: 100, full: 500 }[run.size]
  let acceptedAfterwards = 0
  let project = await createProject()
  for (let round = 0; round < rounds; round++) {
    // Each round makes three changes, of which a project can have 600 per minute.
    if (round > 0 && round % 100 === 0) project = await createProject()
    const { projectId, key } = project
    const keysUrl = `${first}/v2/projects/${projectId}/keys`
    const createKey = async (creator: string) => {
      const headers = [...formatBearerHeader(creator), 'content-type', 'application/json']
      const response = await sendHttpRequest({
        method: 'POST',
        url: keysUrl,
        headers,
        body: JSON.stringify({ name: 'to be revoked', scopes }),
      })
      return JSON.parse(response.text) as { key: { id: string }; secret: string }
    }
    const parent = await createKey(key)
    const child = await createKey(parent.secret)
    const me = (secret: string) =>
      sendHttpRequest({ method: 'GET', url: `${second}/v2/me`, headers: formatBearerHeader(secret) })
    run.check(
      (await me(parent.secret)).status === 200 && (await me(child.secret)).status === 200,
      'another replica accepts a new key',
    )
    await sendHttpRequest({ method: 'DELETE', url: `${keysUrl}/${parent.key.id}`, headers: formatBearerHeader(key) })
    for (const secret of [parent.secret, child.secret]) if ((await me(secret)).status !== 401) acceptedAfterwards++
  }
  run.check(
    acceptedAfterwards === 0,
    `a key revoked on one replica, and every key created with it, is rejected by the other at the next request (${acceptedAfterwards} accepted)`,
  )
  run.figure('revocations', `${rounds} (${acceptedAfterwards} requests accepted afterwards)`)
}

/** A request whose body is completed only after its key is revoked must be rejected. */
async function delayedBodies(run: ProofRun, apiUrl: string, { projectId, key }: ProjectWithKey): Promise<void> {
  const clients = { ci: 5, stated: 20, full: 100 }[run.size]
  const keysUrl = `${apiUrl}/v2/projects/${projectId}/keys`
  const json = ['content-type', 'application/json']
  const body = (name: string) => JSON.stringify({ name, scopes })
  const created = await sendHttpRequest({
    method: 'POST',
    url: keysUrl,
    headers: [...formatBearerHeader(key), ...json],
    body: body('delayed'),
  })
  const delayedKey = JSON.parse(created.text) as { key: { id: string }; secret: string }
  const revocation = Promise.withResolvers<void>()
  const headers = [...formatBearerHeader(delayedKey.secret), ...json]
  const responses = Array.from({ length: clients }, () =>
    sendHttpRequest({
      method: 'POST',
      url: keysUrl,
      headers,
      body: body('too late'),
      holdLastByteUntil: revocation.promise,
    }),
  )
  await sleep(1_000) // by then every key has been looked up and accepted
  await sendHttpRequest({ method: 'DELETE', url: `${keysUrl}/${delayedKey.key.id}`, headers: formatBearerHeader(key) })
  revocation.resolve()
  const acceptedCount = (await Promise.all(responses)).filter(({ status }) => status !== 401).length
  run.check(
    acceptedCount === 0,
    `a request whose body ends after its key is revoked is rejected (${acceptedCount} accepted)`,
  )
  run.figure('requests completed after their key was revoked', `${clients} (${acceptedCount} accepted)`)
}

async function forgedAddresses(
  run: ProofRun,
  colophon: Colophon,
  [direct = '', behindProxy = '']: string[],
  ownProject: ProjectWithKey,
): Promise<void> {
  const allowedNetworks = ['203.0.113.0/24', '2001:db8::/32']
  const { secret: key } = await colophon.createKey(ownProject.projectId, { allowedNetworks })
  const cases: [apiUrl: string, forwardedFor: string[], status: number, why: string][] = [
    [direct, ['x-forwarded-for', '203.0.113.7'], 403, 'this replica trusts no proxy'],
    [direct, ['x-real-ip', '203.0.113.7', 'forwarded', 'for=203.0.113.7'], 403, 'other headers are ignored'],
    [behindProxy, [], 403, 'the proxy itself is not in the network'],
    [behindProxy, ['x-forwarded-for', '203.0.113.7'], 200, 'the trusted proxy reports the client address'],
    [behindProxy, ['x-forwarded-for', '2001:db8::7'], 200, 'IPv6 works too'],
    [
      behindProxy,
      ['x-forwarded-for', '203.0.113.7, 198.51.100.9'],
      403,
      'the addresses before the last one can be forged by the client',
    ],
    [behindProxy, ['x-forwarded-for', '198.51.100.9, 203.0.113.7'], 200, 'only the last address counts'],
    [
      behindProxy,
      ['x-forwarded-for', '203.0.113.7', 'x-forwarded-for', '198.51.100.9'],
      403,
      'two headers are one list',
    ],
    [behindProxy, ['x-forwarded-for', 'unknown'], 403, 'this is not an address'],
    [behindProxy, ['x-forwarded-for', '203.0.113.7 '.repeat(100)], 403, 'this is not a list of addresses'],
  ]
  for (const [apiUrl, forwardedFor, status, why] of cases) {
    const response = await sendHttpRequest({
      method: 'GET',
      url: `${apiUrl}/v2/me`,
      headers: [...formatBearerHeader(key), ...forwardedFor],
    })
    run.check(
      response.status === status,
      `${forwardedFor.join(' ') || 'no header'} returns ${status}: ${why} (${response.status})`,
    )
  }
  run.figure('forwarded-address cases', cases.length)
}

async function randomHeaders(run: ProofRun, apiUrl: string): Promise<void> {
  const total = { ci: 1_000, stated: 10_000, full: 100_000 }[run.size]
  const statuses = new Map<number, number>()
  const prefixes = ['', 'Bearer ', 'bearer  ', 'Bearer colophon_', 'Bearer colophon_runner_', 'Basic ', 'Bearer\t']
  const anyByte = () => {
    const code = Math.floor(run.random() * 256)
    return code === 0x09 || (code >= 0x20 && code !== 0x7f) ? String.fromCharCode(code) : ' '
  }
  const sendRandomHeader = async () => {
    const prefix = prefixes[Math.floor(run.random() * prefixes.length)] ?? ''
    const length = Math.floor(run.random() ** 3 * 4_000)
    const value = prefix + Array.from({ length }, anyByte).join('')
    const { status } = await sendHttpRequest({
      method: 'GET',
      url: `${apiUrl}/v2/me`,
      headers: ['authorization', value],
    })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  for (let sent = 0; sent < total; sent += 20) await Promise.all(Array.from({ length: 20 }, sendRandomHeader))
  run.check(
    statuses.size === 1 && statuses.get(401) === total,
    `all random Authorization values are rejected with 401 (${JSON.stringify([...statuses])})`,
  )
  run.figure('random Authorization values', `${total} (${statuses.get(401) ?? 0} rejected with 401)`)
}

async function everyChangeIsAudited(run: ProofRun, apiUrl: string, { projectId, key }: ProjectWithKey): Promise<void> {
  const subjectsByAction = new Map<string, Set<string>>()
  for (let cursor = ''; ; ) {
    const url = `${apiUrl}/v2/projects/${projectId}/audit?limit=250${cursor}`
    const page = JSON.parse((await sendHttpRequest({ method: 'GET', url, headers: formatBearerHeader(key) })).text) as {
      entries: { action: string; subject: string }[]
      nextCursor: string | null
    }
    for (const { action, subject } of page.entries)
      subjectsByAction.set(action, (subjectsByAction.get(action) ?? new Set()).add(subject))
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  const list = await sendHttpRequest({
    method: 'GET',
    url: `${apiUrl}/v2/projects/${projectId}/keys?limit=250`,
    headers: formatBearerHeader(key),
  })
  const { keys } = JSON.parse(list.text) as { keys: { id: string; revokedAt: string | null }[] }
  const created = keys.filter(({ id }) => subjectsByAction.get('key.created')?.has(id)).length
  const revoked = keys.filter(({ revokedAt }) => revokedAt)
  run.check(created === keys.length, `every created key is in the audit log (${created} of ${keys.length})`)
  run.check(
    revoked.every(({ id }) => subjectsByAction.get('key.revoked')?.has(id)),
    'every revoked key is in the audit log',
  )
  run.figure('keys in the audit log', `${keys.length} created, ${revoked.length} revoked`)
}

async function _query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
