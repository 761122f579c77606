/** Every route × every kind of key: exactly the contract's answer, and the right key gets in. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeProject, runColophon } from '../dev-services/colophon.ts'
import { type ApiDeps, createApi } from '../server/src/api/app.ts'
import { generateKey } from '../server/src/keys/key-format.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { createLog } from '../server/src/platform/log.ts'
import { startCountingRelay } from './kit/counting-relay.ts'
import { connectExampleRepository } from './kit/example-repository.ts'
import { type Answer, bearer, call } from './kit/http-call.ts'
import { type LetAnHourPass, passingHours } from './kit/passing-hours.ts'
import { exampleUrl, makeExampleSiteKey, type Operation, operationsOf } from './kit/route-examples.ts'
import { type RunningService, runningService } from './kit/running-service.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'Nobody gets in who does not belong, and who belongs gets in'

type Expected = { kind: 'in' } | { kind: 'refused'; status: number; code: string }
const getsIn: Expected = { kind: 'in' }
const unauthenticated: Expected = { kind: 'refused', status: 401, code: 'unauthenticated' }
const refused = (status: number, code: string): Expected => ({ kind: 'refused', status, code })

interface Visitor {
  name: string
  headers: (access: string) => string[]
  /** At a route with a scope; `anyKey`: at one that takes every valid key. */
  expected: Expected
  anyKey: Expected
}

export async function prove(run: ProofRun): Promise<void> {
  const service = await runningService(run, 'keys')
  const replica = await service.startApi()
  const behindProxy = await service.startApi({ COLOPHON_TRUSTED_PROXIES: '127.0.0.1' })
  const mine = await makeProject(service.environment, 'Mine')
  const others = await makeProject(service.environment, 'Others')
  await connectExampleRepository(service, mine.projectId)
  const operations = await operationsOf(replica.url)
  const letAnHourPass = passingHours(run, service)

  await makeExampleSiteKey(operations, service.instance.postgresUrl, mine.projectId)
  await checkNothingIsHidden(run, operations)
  await everyRoute(run, replica.url, operations, await visitors(service, mine, others), mine, letAnHourPass)
  await wrongChecksumAsksNoDatabase(run, service)
  await revocationHolds(run, [replica.url, behindProxy.url], mine)
  await heldBodies(run, replica.url, mine)
  await forgedAddresses(run, service, [replica.url, behindProxy.url], mine)
  await randomHeaders(run, replica.url)
  await everyActIsAudited(run, replica.url, mine)
}

/** The routes of the code, found by walking them: what is not in the contract must be a page for everybody. */
async function checkNothingIsHidden(run: ProofRun, operations: readonly Operation[]): Promise<void> {
  const listen = { host: '127.0.0.1', port: 0 }
  const log = createLog('proof', { level: 'error' })
  const { server, declaredRoutes } = createApi(
    { publicUrl: 'http://localhost', github: { baseUrls: [] as readonly string[] } } as ApiDeps,
    { listen, tls: undefined, trustedProxies: [], stopDelaySeconds: 0 },
    log,
  )
  await server.ready() // some are registered only then
  const documented = new Map(operations.map(({ method, path, access }) => [`${method} ${path}`, access]))
  for (const { method, url, access } of declaredRoutes) {
    const name = `${method === 'HEAD' ? 'GET' : method} ${url.replace(/:(\w+)/g, '{$1}')}`
    const agrees = documented.has(name)
      ? documented.get(name) === access
      : access === 'public' || access === 'signature'
    run.check(agrees, `${method} ${url} is documented as what it is`)
  }
  run.figure('routes walked, of these operations of the contract', `${declaredRoutes.length}, ${operations.length}`)
}

async function visitors(service: RunningService, mine: Project, others: Project): Promise<Visitor[]> {
  const make = (...options: string[]) =>
    runColophon(['admin', 'key', 'create', '--project', mine.projectId, '--name', 'visitor', ...options], service)
  const revoked = await make()
  const expired = await make('--expires-in-days', '1')
  const wrongNetwork = await make('--networks', '203.0.113.0/24')
  await query(
    service.instance.postgresUrl,
    "UPDATE api_key SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL",
  )
  await revoke(service, mine, revoked)
  const withoutScope = new Map<string, string>()
  for (const scope of scopes)
    withoutScope.set(scope, await make('--scopes', scopes.filter((other) => other !== scope).join()))

  const stranger = (name: string, ...headers: string[]): Visitor => ({
    name,
    headers: () => headers,
    expected: unauthenticated,
    anyKey: unauthenticated,
  })
  const lastCharacter = mine.key.at(-1) === 'a' ? 'b' : 'a'
  return [
    { name: 'the right key', headers: () => bearer(mine.key), expected: getsIn, anyKey: getsIn },
    stranger('no key'),
    stranger('garbage', 'authorization', 'Bearer garbage'),
    stranger('another scheme', 'authorization', `Basic ${Buffer.from(`user:${mine.key}`).toString('base64')}`),
    stranger('no scheme', 'authorization', mine.key),
    stranger('wrong checksum', ...bearer(mine.key.slice(0, -1) + lastCharacter)),
    stranger('unknown', ...bearer(generateKey('colophon_'))),
    stranger('a runner token', ...bearer(generateKey('colophon_runner_'))),
    stranger('revoked', ...bearer(revoked)),
    stranger('expired', ...bearer(expired)),
    stranger('two headers, both right', ...bearer(mine.key), ...bearer(mine.key)),
    stranger('two headers, one right', ...bearer(mine.key), 'authorization', 'Bearer garbage'),
    stranger('the key in the query only'),
    {
      name: "another project's",
      headers: () => bearer(others.key),
      expected: refused(404, 'not_found'),
      anyKey: getsIn,
    },
    {
      name: 'wrong scope',
      headers: (access) => bearer(withoutScope.get(access) ?? mine.key),
      expected: refused(403, 'insufficient_scope'),
      anyKey: getsIn,
    },
    {
      name: 'wrong network',
      headers: () => bearer(wrongNetwork),
      expected: refused(403, 'ip_not_allowed'),
      anyKey: refused(403, 'ip_not_allowed'),
    },
  ]
}

type Project = { projectId: string; key: string }

async function revoke(service: RunningService, { projectId }: Project, secret: string): Promise<void> {
  const list = await runColophon(['admin', 'key', 'list', '--project', projectId], service)
  const hint = secret.slice(0, 'colophon_'.length + 4)
  const id =
    list
      .split('\n')
      .find((line) => line.includes(hint))
      ?.split(' ')[0] ?? ''
  await runColophon(['admin', 'key', 'revoke', '--project', projectId, '--key', id], service)
}

async function everyRoute(
  run: ProofRun,
  apiUrl: string,
  operations: readonly Operation[],
  all: readonly Visitor[],
  mine: Project,
  letAnHourPass: LetAnHourPass,
): Promise<void> {
  let asked = 0
  for (const operation of operations) {
    await letAnHourPass()
    for (const method of operation.method === 'GET' ? ['GET', 'HEAD'] : [operation.method]) {
      for (const visitor of all) {
        const url = await exampleUrl(apiUrl, operation, mine)
        const query =
          visitor.name === 'the key in the query only'
            ? `?authorization=Bearer%20${mine.key}&access_token=${mine.key}`
            : ''
        const body = operation.bodyExample === undefined ? {} : { body: JSON.stringify(operation.bodyExample) }
        const type = operation.bodyExample === undefined ? [] : ['content-type', 'application/json']
        const headers = [...visitor.headers(operation.access), ...type]
        const response = await call({ method, url: url + query, headers, ...body })
        const expected = expectedAt(operation, visitor)
        checkResponse(run, `${method} ${operation.path} with ${visitor.name}`, response, expected, method === 'HEAD')
        asked++
      }
    }
  }
  run.say(`${operations.length} operations × ${all.length} visitors`)
  run.figure('requests by all kinds of visitors', asked)
}

function expectedAt({ method, path, access }: Operation, { anyKey, expected }: Visitor): Expected {
  if (access === 'session' || access === 'operator') return unauthenticated // a key is nobody's session
  if (access === 'any-key') return anyKey
  if (path.startsWith(forPeople) && expected === getsIn) return refused(403, 'insufficient_scope')
  if (access !== 'public') return expected
  return method === 'GET' || path === '/v1/collect' ? getsIn : refused(403, 'cross_origin')
}

/** GitHub asks who somebody is, and a key is nobody. */
const forPeople = '/v2/projects/{projectId}/github/'

/** The example's host is not there, and what does not answer is not connected. */
const connects = 'POST /v2/projects/{projectId}/repository '

function checkResponse(run: ProofRun, what: string, response: Answer, expected: Expected, headOnly: boolean): void {
  if (expected.kind === 'in') {
    const leadsNowhere = what.startsWith(connects) && response.status === 400 // whoever gets so far is in
    run.check(
      leadsNowhere || (response.status >= 200 && response.status < 300),
      `${what} gets in (${response.status} ${response.text})`,
    )
    return
  }
  run.check(response.status === expected.status, `${what} is ${expected.status} (${response.status} ${response.text})`)
  if (expected.status === 401)
    run.check(response.headers['www-authenticate'] === 'Bearer', `${what} says how to authenticate`)
  if (headOnly) return
  const problem = JSON.parse(response.text) as Record<string, unknown>
  run.check(
    problem.code === expected.code &&
      problem.status === expected.status &&
      problem.requestId === response.headers['x-request-id'] &&
      problem.error === problem.detail &&
      String(response.headers['content-type']).startsWith('application/problem+json'),
    `${what} is a whole problem with code ${expected.code} (${response.text})`,
  )
}

/** Counted on the wire: PostgreSQL's own counters are up to ten seconds behind. */
async function wrongChecksumAsksNoDatabase(run: ProofRun, service: RunningService): Promise<void> {
  const relay = await startCountingRelay(service.instance.postgresUrl)
  run.cleanUp(relay.stop)
  const { url } = await service.startApi({ COLOPHON_DATABASE_URL: relay.url })
  await sleep(2_000) // a process that has just started looks whether it has a first owner
  const requests = 200
  const costOf = async (key: () => string) => {
    const before = relay.sentBytes()
    for (let index = 0; index < requests; index++)
      await call({ method: 'GET', url: `${url}/v2/me`, headers: bearer(key()) })
    return relay.sentBytes() - before
  }
  const mistyped = await costOf(() => generateKey('colophon_').replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')))
  const unknown = await costOf(() => generateKey('colophon_'))
  run.check(mistyped === 0, `a wrong checksum causes no SQL (${mistyped} bytes for ${requests} requests)`)
  run.check(unknown > requests * 32, `an unknown key is looked up (${unknown} bytes for ${requests} requests)`)
  run.figure(`bytes sent to PostgreSQL for ${requests} mistyped keys, unknown keys`, `${mistyped}, ${unknown}`)
}

async function revocationHolds(
  run: ProofRun,
  [first = '', second = '']: string[],
  { projectId, key }: Project,
): Promise<void> {
  const rounds = { ci: 10, stated: 100, full: 500 }[run.size]
  let late = 0
  for (let round = 0; round < rounds; round++) {
    const keysUrl = `${first}/v2/projects/${projectId}/keys`
    const make = async (maker: string) => {
      const headers = [...bearer(maker), 'content-type', 'application/json']
      const response = await call({
        method: 'POST',
        url: keysUrl,
        headers,
        body: JSON.stringify({ name: 'to be revoked', scopes: ['project:write'] }),
      })
      return JSON.parse(response.text) as { key: { id: string }; secret: string }
    }
    const parent = await make(key)
    const child = await make(parent.secret)
    const me = (secret: string) => call({ method: 'GET', url: `${second}/v2/me`, headers: bearer(secret) })
    run.check(
      (await me(parent.secret)).status === 200 && (await me(child.secret)).status === 200,
      'a new key gets in at the other replica',
    )
    await call({ method: 'DELETE', url: `${keysUrl}/${parent.key.id}`, headers: bearer(key) })
    for (const secret of [parent.secret, child.secret]) if ((await me(secret)).status !== 401) late++
  }
  run.check(
    late === 0,
    `a key revoked on one replica is refused by the other at its next request, with every key it made (${late} got in)`,
  )
  run.figure('revocations, let in afterwards', `${rounds}, ${late}`)
}

/** Whoever holds a body back until its key is revoked has gained nothing. */
async function heldBodies(run: ProofRun, apiUrl: string, { projectId, key }: Project): Promise<void> {
  const clients = { ci: 5, stated: 20, full: 100 }[run.size]
  const keysUrl = `${apiUrl}/v2/projects/${projectId}/keys`
  const json = ['content-type', 'application/json']
  const body = (name: string) => JSON.stringify({ name, scopes: ['project:write'] })
  const made = await call({ method: 'POST', url: keysUrl, headers: [...bearer(key), ...json], body: body('holding') })
  const holding = JSON.parse(made.text) as { key: { id: string }; secret: string }
  const hold = Promise.withResolvers<void>()
  const headers = [...bearer(holding.secret), ...json]
  const responses = Array.from({ length: clients }, () =>
    call({ method: 'POST', url: keysUrl, headers, body: body('too late'), hold: hold.promise }),
  )
  await sleep(1_000) // by then every key was looked up and found good
  await call({ method: 'DELETE', url: `${keysUrl}/${holding.key.id}`, headers: bearer(key) })
  hold.resolve()
  const late = (await Promise.all(responses)).filter(({ status }) => status !== 401).length
  run.check(late === 0, `a body that was held back until its key was revoked is refused (${late} got in)`)
  run.figure('bodies held back until a revocation, let in afterwards', `${clients}, ${late}`)
}

async function forgedAddresses(
  run: ProofRun,
  service: RunningService,
  [direct = '', behindProxy = '']: string[],
  mine: Project,
): Promise<void> {
  const key = await runColophon(
    [
      'admin',
      'key',
      'create',
      '--project',
      mine.projectId,
      '--name',
      'office',
      '--networks',
      '203.0.113.0/24,2001:db8::/32',
    ],
    service,
  )
  const cases: [apiUrl: string, forwardedFor: string[], status: number, why: string][] = [
    [direct, ['x-forwarded-for', '203.0.113.7'], 403, 'nobody is trusted here'],
    [direct, ['x-real-ip', '203.0.113.7', 'forwarded', 'for=203.0.113.7'], 403, 'other headers say nothing'],
    [behindProxy, [], 403, 'the proxy itself is not in the network'],
    [behindProxy, ['x-forwarded-for', '203.0.113.7'], 200, 'the trusted proxy says where the client is'],
    [behindProxy, ['x-forwarded-for', '2001:db8::7'], 200, 'over IPv6 too'],
    [
      behindProxy,
      ['x-forwarded-for', '203.0.113.7, 198.51.100.9'],
      403,
      'the client forged what stands left of its own address',
    ],
    [behindProxy, ['x-forwarded-for', '198.51.100.9, 203.0.113.7'], 200, 'only the last one counts'],
    [
      behindProxy,
      ['x-forwarded-for', '203.0.113.7', 'x-forwarded-for', '198.51.100.9'],
      403,
      'two headers are one list',
    ],
    [behindProxy, ['x-forwarded-for', 'unknown'], 403, 'no address is no address'],
    [behindProxy, ['x-forwarded-for', '203.0.113.7 '.repeat(100)], 403, 'nor is nonsense'],
  ]
  for (const [apiUrl, forwardedFor, status, why] of cases) {
    const response = await call({ method: 'GET', url: `${apiUrl}/v2/me`, headers: [...bearer(key), ...forwardedFor] })
    run.check(
      response.status === status,
      `${forwardedFor.join(' ') || 'no header'} is ${status}: ${why} (${response.status})`,
    )
  }
  run.figure('forged addresses', cases.length)
}

async function randomHeaders(run: ProofRun, apiUrl: string): Promise<void> {
  const total = { ci: 1_000, stated: 10_000, full: 100_000 }[run.size]
  const statuses = new Map<number, number>()
  const beginnings = ['', 'Bearer ', 'bearer  ', 'Bearer colophon_', 'Bearer colophon_runner_', 'Basic ', 'Bearer\t']
  const anyByte = () => {
    const code = Math.floor(run.random() * 256)
    return code === 0x09 || (code >= 0x20 && code !== 0x7f) ? String.fromCharCode(code) : ' '
  }
  const one = async () => {
    const beginning = beginnings[Math.floor(run.random() * beginnings.length)] ?? ''
    const length = Math.floor(run.random() ** 3 * 4_000)
    const value = beginning + Array.from({ length }, anyByte).join('')
    const { status } = await call({ method: 'GET', url: `${apiUrl}/v2/me`, headers: ['authorization', value] })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  for (let sent = 0; sent < total; sent += 20) await Promise.all(Array.from({ length: 20 }, one))
  run.check(
    statuses.size === 1 && statuses.get(401) === total,
    `random Authorization values are all 401 (${JSON.stringify([...statuses])})`,
  )
  run.figure('random Authorization values, of these 401', `${total}, ${statuses.get(401) ?? 0}`)
}

async function everyActIsAudited(run: ProofRun, apiUrl: string, { projectId, key }: Project): Promise<void> {
  const acts = new Map<string, Set<string>>()
  for (let cursor = ''; ; ) {
    const url = `${apiUrl}/v2/projects/${projectId}/audit?limit=250${cursor}`
    const page = JSON.parse((await call({ method: 'GET', url, headers: bearer(key) })).text) as {
      entries: { action: string; subject: string }[]
      nextCursor: string | null
    }
    for (const { action, subject } of page.entries) acts.set(action, (acts.get(action) ?? new Set()).add(subject))
    if (page.nextCursor === null) break
    cursor = `&cursor=${page.nextCursor}`
  }
  const list = await call({
    method: 'GET',
    url: `${apiUrl}/v2/projects/${projectId}/keys?limit=250`,
    headers: bearer(key),
  })
  const { keys } = JSON.parse(list.text) as { keys: { id: string; revokedAt: string | null }[] }
  const created = keys.filter(({ id }) => acts.get('key.created')?.has(id)).length
  const revoked = keys.filter(({ revokedAt }) => revokedAt)
  run.check(created === keys.length, `every key that was made is in the audit log (${created} of ${keys.length})`)
  run.check(
    revoked.every(({ id }) => acts.get('key.revoked')?.has(id)),
    'every key that was revoked is in the audit log',
  )
  run.figure('keys made, revoked, all in the audit log', `${keys.length}, ${revoked.length}`)
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
