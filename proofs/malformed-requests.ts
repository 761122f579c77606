/**
 * Sends three kinds of malformed requests to one running service at the same time: requests that Schemathesis generates from
 * the OpenAPI document, handwritten ones, and ones that never end. Meanwhile, a background client sends ordinary requests.
 * Failures of the service are read from its own log.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Scope, scopes } from '../server/src/keys/scopes.ts'
import type { ProblemCode } from '../server/src/platform/http/problem.ts'
import { newId } from '../server/src/platform/ids.ts'
import { prepareColophon } from '../testing/harness/colophon.ts'
import type { ColophonProcess } from '../testing/harness/colophon-process.ts'
import { deploymentMemorySettings } from '../testing/harness/deployment-memory-settings.ts'
import { createHourlyLimitReset, type ResetHourlyLimits } from '../testing/harness/hourly-limit-reset.ts'
import { formatBearerHeader, sendHttpRequest } from '../testing/harness/http-call.ts'
import { toLocalhostOrigin } from '../testing/harness/people.ts'
import { formatRawRequest, sendAndReset, sendRawBytes } from '../testing/harness/raw-http.ts'
import { type LoggedRequest, logEndOffset, readLogSince } from '../testing/harness/service-log.ts'
import { type ExpectedResponse, expectRejection, findResponseViolation } from './judges/expected-response.ts'
import {
  type ApiOperation,
  createExampleSiteKey,
  createUrlWithExampleResources,
  readApiOperations,
} from './judges/route-examples.ts'
import { startBackgroundClient } from './malformed-requests/background-client.ts'
import { ignoredBodies, malformedBodies } from './malformed-requests/malformed-bodies.ts'
import { createMalformedHttpRequests } from './malformed-requests/malformed-http-requests.ts'
import { malformedPaths, malformedQueries, unknownUrls } from './malformed-requests/malformed-urls.ts'
import { type FuzzTarget, runSchemathesis } from './malformed-requests/schemathesis.ts'
import { sendSlowly, slowRequests } from './malformed-requests/slow-clients.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'No request, however malformed, makes the service fail or respond outside its API description'

/**
 * Rules that may reject a request although its schema allows it, with the statuses. Every other operation must accept such a
 * request, unless a limit or the current state forbids it.
 */
const extraRules: Readonly<Record<string, { statuses: readonly number[]; rule: string }>> = {
  'POST /v2/projects/{projectId}/keys': {
    statuses: [400],
    rule: 'networks must be valid CIDR ranges, and the expiry must be in the future',
  },
  ...Object.fromEntries(
    ['views', 'views.csv', 'views/timeseries', 'clients', 'coverage'].map((report) => [
      `GET /v1/analytics/{projectId}/${report}`,
      {
        statuses: [400],
        rule: 'dates and the time zone must exist, and the range must start before it ends',
      },
    ]),
  ),
  ...Object.fromEntries(
    ['/v2/setup/owner', '/v2/projects/{projectId}/members', '/v2/projects/{projectId}/invitations'].map((path) => [
      `POST ${path}`,
      { statuses: [400], rule: 'the email address must be valid for signing in' },
    ]),
  ),
  'POST /v2/projects/{projectId}/webhooks': {
    statuses: [400],
    rule: 'the target must be a URL or the address of a member, and a project has at most 200 endpoints',
  },
  'POST /v2/projects/{projectId}/federated-identities': {
    statuses: [400],
    rule: 'the claims must be those of the provider, and a project has at most 100 federated identities',
  },
  'POST /v2/projects/{projectId}/token-exchange': { statuses: [401], rule: 'the token must be that of a CI run' },
  'POST /v2/projects/{projectId}/repository': { statuses: [400], rule: 'the repository must exist' },
  'PATCH /v2/projects/{projectId}/repository': { statuses: [400], rule: 'templates must contain their variables' },
  'PATCH /v2/projects/{projectId}/settings': {
    statuses: [400],
    rule: 'the model must exist, and the budget must not be above the ceiling',
  },
  'PATCH /v1/analytics/{projectId}/settings': {
    statuses: [400],
    rule: 'origins must be written as browsers send them',
  },
  // For their other media types, the schema says only that the body is text.
  'POST /v1/ingest/{projectId}/views': { statuses: [400, 413], rule: 'every line must be a view' },
  'POST /v1/collect': { statuses: [400, 413], rule: 'the text must be a beacon within the size limit' },
  'PATCH /v2/projects/{projectId}/members/{memberId}': {
    statuses: [400, 403],
    rule: 'the last owner keeps the role, and a key cannot keep what a member created',
  },
  'DELETE /v2/projects/{projectId}/members/{memberId}': {
    statuses: [400, 403],
    rule: 'the last owner cannot be removed, and a key cannot keep what a member created',
  },
  // For a header with a pattern, Schemathesis generates an invalid value and treats it as valid (4.32.5).
  'GET /v2/agent/{projectId}/job/{id}/events': { statuses: [400], rule: 'Last-Event-ID must match its pattern' },
  'POST /v2/agent/{projectId}/job': {
    statuses: [400, 422],
    rule: 'the model must exist, and an Idempotency-Key must not be reused for another request',
  },
  'POST /v2/agent/{projectId}/job/{id}/message': {
    statuses: [400, 422],
    rule: 'the check must have failed, conflicts need an open pull request, and an Idempotency-Key must not be reused for another request',
  },
}

/** Operations that cannot succeed in this proof, because something they need is missing. */
const neverAccepted: Readonly<Record<string, string>> = {
  'POST /v2/projects/{projectId}/repository': 'the connection is tested first, and there is no code host',
  'PATCH /v2/projects/{projectId}/repository/rules': 'an API key cannot change them',
  'PATCH /v2/projects/{projectId}/second-factor': 'an API key cannot change it',
  'DELETE /v2/projects/{projectId}': 'an API key cannot delete its project',
  'POST /v2/agent/{projectId}/job/{id}/approve': 'no result awaits approval',
  'POST /v2/agent/{projectId}/job/{id}/reject': 'no result awaits approval',
  ...Object.fromEntries(
    ['authorizations', 'authorizations/complete', 'repository/test', 'repository'].map((rest) => [
      `POST /v2/projects/{projectId}/github/${rest}`,
      'an API key has no GitHub account',
    ]),
  ),
}

type Project = { projectId: string; key: string }

interface Fixture {
  run: ProofRun
  api: ColophonProcess
  operations: readonly ApiOperation[]
  logFile: string
  /** Each part of the proof has its own projects, so that they do not share rate limits. */
  newProject(): Promise<Project>
  resetHourlyLimits: ResetHourlyLimits
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'bad_requests')
  const api = await colophon.start('api', {
    COLOPHON_LOG_LEVEL: 'debug', // health checks are logged at this level only
    ...deploymentMemorySettings.api,
  })
  const fixture: Fixture = {
    run,
    api,
    operations: await readApiOperations(api.url),
    logFile: join(colophon.directory, 'api.log'),
    newProject: () => colophon.connectProject('Fuzzed'),
    resetHourlyLimits: createHourlyLimitReset(colophon),
  }
  await createExampleSiteKey(fixture.operations, colophon.postgresUrl, (await fixture.newProject()).projectId)
  const backgroundClient = await startBackgroundClient(run, api, (await fixture.newProject()).key)
  const slow = sendNeverEndingRequests(fixture)
  await sendGeneratedRequests(fixture)
  await sendHandwrittenRequests(fixture)
  await sendAndDisconnect(fixture)
  await slow
  await backgroundClient.stop()

  const { requests, errors } = await readLogSince(fixture.logFile, 0)
  const failures = requests.filter(({ status }) => status >= 500)
  run.check(failures.length === 0, `no request is logged with a 5xx: ${JSON.stringify(failures.slice(0, 5))}`)
  run.check(errors.length === 0, `nothing is logged as an error: ${errors.slice(0, 3).join('\n').slice(0, 2000)}`)
  run.figure('requests in the log', `${requests.length} (${failures.length} with a 5xx)`)
}

const nameOf = ({ method, path }: { method: string; path?: string | undefined }) => `${method} ${path}`

async function newKey(
  api: ColophonProcess,
  { projectId, key }: Project,
  granted: readonly Scope[] = scopes,
): Promise<string> {
  const response = await sendHttpRequest({
    method: 'POST',
    url: `${api.url}/v2/projects/${projectId}/keys`,
    headers: [...formatBearerHeader(key), 'content-type', 'application/json'],
    body: JSON.stringify({ name: 'proof', scopes: granted }),
  })
  return (JSON.parse(response.text) as { secret: string }).secret
}

const authorizationWith = (key: string) => `Authorization: Bearer ${key}`

/** Schemathesis sends some examples in several variants, and some requests that it does not count as examples. */
const requestsPerExample = 1.5

async function sendGeneratedRequests(fixture: Fixture): Promise<void> {
  const { run, api, operations, logFile, newProject, resetHourlyLimits } = fixture
  for (const [name, { rule }] of Object.entries(extraRules))
    run.check(operations.map(nameOf).includes(name), `the operation ${name} exists, for the rule "${rule}"`)
  for (const [name, reason] of Object.entries(neverAccepted))
    run.check(
      operations.map(nameOf).includes(name),
      `the operation ${name} exists, which is never accepted because ${reason}`,
    )
  const minRequests = { ci: 500, stated: 5_000, full: 20_000 }[run.size]
  const directory = mkdtempSync(join(tmpdir(), 'colophon-schemathesis-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  let logged: LoggedRequest[] = []
  for (let round = 0; logged.length < minRequests; round++) {
    const examplesPerOperation = Math.ceil((minRequests - logged.length) / operations.length / requestsPerExample)
    // Several projects, because Schemathesis exceeds the rate limits of a single one.
    const projects = await Promise.all(Array.from({ length: { ci: 1, stated: 4, full: 8 }[run.size] }, newProject))
    const fuzzed = await Promise.all(
      operations.map(async (operation, index): Promise<FuzzTarget> => {
        const project = projects[index % projects.length] ?? (await newProject())
        const ids = await createResourceIds(fixture, project, operation, Math.min(examplesPerOperation, 100))
        const key = await newKey(api, project)
        return { operation, key, ids, allowedRejections: extraRules[nameOf(operation)]?.statuses ?? [] }
      }),
    )
    const start = logEndOffset(logFile)
    const fuzzing = runSchemathesis({
      apiUrl: api.url,
      operations: fuzzed,
      seed: run.seed + round,
      examplesPerOperation,
      directory,
    })
    const failures = await withLimitResets(fuzzing, resetHourlyLimits)
    run.check(failures === undefined, `every response to Schemathesis conforms to the contract:\n${failures}`)
    const { requests } = await readLogSince(logFile, start)
    logged = logged.concat(requests.filter(({ method }) => method !== 'HEAD')) // HEAD requests come from the background client
    run.log(`Schemathesis: ${logged.length} of ${minRequests} requests`)
    if (failures) break
    if (requests.length === 0) throw new Error('Schemathesis sent no requests')
  }
  const acceptedRequests = Map.groupBy(
    logged.filter(({ status }) => status >= 200 && status < 300),
    nameOf,
  )
  for (const operation of operations.filter((operation) => acceptsKeys(operation) && !isSignIn(operation))) {
    const name = nameOf(operation)
    if (name in neverAccepted) continue
    run.check((acceptedRequests.get(name)?.length ?? 0) > 0, `${name} is accepted at least once`)
  }
  const byStatusClass = Map.groupBy(logged, ({ status }) => `${Math.floor(status / 100)}xx`)
  const statusCounts = [...byStatusClass].map(([kind, requests]) => `${kind} ${requests.length}`).toSorted()
  run.figure('requests generated by Schemathesis', `${logged.length} (${statusCounts.join(', ')})`)
  run.figure(
    'operations accepted at least once',
    `${operations.filter((operation) => acceptedRequests.has(nameOf(operation))).length} of ${operations.length}`,
  )
}

/** Resets the hourly limits four times a second while the work runs, which would soon reach them. */
async function withLimitResets<Result>(work: Promise<Result>, resetHourlyLimits: ResetHourlyLimits): Promise<Result> {
  let working = true
  const ended = work.finally(() => {
    working = false
  })
  while (working) {
    await resetHourlyLimits()
    await Promise.race([ended, sleep(250)])
  }
  return ended
}

const consumesResource = ({ method, bodyExample }: ApiOperation) =>
  method === 'DELETE' || (method === 'POST' && bodyExample === undefined)

/** Creates many resources if a request consumes one, for example by deleting it. Otherwise one is enough. */
async function createResourceIds(
  { api, resetHourlyLimits }: Fixture,
  project: Project,
  operation: ApiOperation,
  maxCount: number,
): Promise<Record<string, string[]>> {
  const paths = await repeat(consumesResource(operation) ? maxCount : 1, async (index) => {
    if (index % requestsPerReset === 0) await resetHourlyLimits()
    return new URL(await createUrlWithExampleResources(api.url, operation, project)).pathname.split('/')
  })
  const segments = operation.path.split('/')
  const parameters = segments.flatMap((segment, index) =>
    segment.startsWith('{') ? [{ name: segment.slice(1, -1), index }] : [],
  )
  return Object.fromEntries(
    parameters.map(({ name, index }) => [name, [...new Set(paths.map((path) => path[index] ?? ''))]]),
  )
}

/** Fewer than the limits of queued messages per job and of jobs per project per hour. */
const requestsPerReset = 15

async function repeat<Result>(times: number, act: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < times) results.push(await act(results.length))
  return results
}

/** With more operations, a project would reach its write rate limit. */
const operationsPerProject = 5

async function sendHandwrittenRequests({
  run,
  api,
  operations,
  newProject,
  resetHourlyLimits,
}: Fixture): Promise<void> {
  let sent = 0
  let slowest = { seconds: 0, name: '' }
  const expect = async (name: string, bytes: Buffer | string, expected: ExpectedResponse) => {
    if (sent % requestsPerReset === 0) await resetHourlyLimits()
    const { response, seconds: firstSeconds } = await sendRawBytes(api.url, bytes)
    if (api.process.pid === undefined) throw new Error(`the service exited after: ${name}`)
    sent++
    const seconds = firstSeconds < suspiciousSeconds ? firstSeconds : await measureAgain(api.url, bytes, firstSeconds)
    if (seconds > slowest.seconds) slowest = { seconds, name }
    const violation = findResponseViolation(response, expected)
    run.check(
      violation === undefined,
      `the response to ${name} is the expected one: ${violation} (${response?.status} ${response?.text.slice(0, 300)})`,
    )
  }
  let project = await newProject()
  let callers = await createUnauthorizedCallers(api, project)
  // In CI a third of the operations, selected by the seed.
  const isSelected = (_operation: ApiOperation, index: number) => run.size !== 'ci' || (index + run.seed) % 3 === 0
  const selected = operations.filter((operation) => acceptsKeys(operation) && !isSignIn(operation)).filter(isSelected)
  for (const [index, operation] of selected.entries()) {
    if (index % operationsPerProject === operationsPerProject - 1) {
      project = await newProject()
      callers = await createUnauthorizedCallers(api, project)
    }
    await sendMalformedRequests(api, project, operation, callers, expect)
  }
  for (const { name, target, expected } of unknownUrls) {
    for (const method of ['GET', 'POST'])
      await expect(`${method} ${name}`, formatRawRequest({ method, target, ...invalidBody }), expected)
  }
  const authorization = authorizationWith(await newKey(api, project))
  for (const { name, bytes, expected } of createMalformedHttpRequests(authorization))
    await expect(name, bytes, expected)
  run.log(`${sent} handwritten requests; the slowest response took ${slowest.seconds.toFixed(2)} s: ${slowest.name}`)
  run.check(
    slowest.seconds < 5,
    `every handwritten request gets a response within 5 s: ${slowest.seconds.toFixed(2)} s for ${slowest.name}`,
  )
  run.figure('handwritten requests', `${sent} (slowest response ${slowest.seconds.toFixed(2)} s)`)
}

const suspiciousSeconds = 1

/** The shortest of three times: a machine that was busy with something else is not slow each time, and an expensive request is. */
async function measureAgain(apiUrl: string, bytes: Buffer | string, firstSeconds: number): Promise<number> {
  const second = await sendRawBytes(apiUrl, bytes)
  const third = await sendRawBytes(apiUrl, bytes)
  return Math.min(firstSeconds, second.seconds, third.seconds)
}

/** The proof `role-permissions` covers the routes that need a session. */
const acceptsKeys = ({ access }: ApiOperation) => access !== 'session' && access !== 'operator'

/** Signing in and the like: these need a password or a token from an email. */
const isSignIn = ({ method, path, access }: ApiOperation) =>
  access === 'public' && method !== 'GET' && path !== '/v1/collect'

/** Media type, encoding and body are all invalid, so any other rejection must come from an earlier check. */
const invalidBody = { headers: ['Content-Type: text/xml', 'Content-Encoding: br'], body: '{' }

type Expect = (name: string, bytes: Buffer | string, expected: ExpectedResponse) => Promise<void>

async function sendMalformedRequests(
  api: ColophonProcess,
  project: Project,
  operation: ApiOperation,
  callers: readonly UnauthorizedCaller[],
  expect: Expect,
): Promise<void> {
  const { method, path, access, statuses } = operation
  const newTarget = async () => (await createUrlWithExampleResources(api.url, operation, project)).slice(api.url.length)
  const target = await newTarget()
  const authorization = authorizationWith(await newKey(api, project))
  const origin = `Origin: ${toLocalhostOrigin(api.url)}`
  const documented = statuses.filter((status) => status < 500)
  const example = operation.bodyExample as Record<string, unknown> | undefined
  const bodies = example ? malformedBodies(example, operation.bodySpec, { documented }) : ignoredBodies()
  for (const { name, headers, expected, ...body } of bodies) {
    const requestTarget = consumesResource(operation) ? await newTarget() : target
    const request = { method, target: requestTarget, headers: [authorization, origin, ...headers], ...body }
    const mayBeAccepted = expected === 'accepted' || 'documented' in expected
    const possible = mayBeAccepted && nameOf(operation) in neverAccepted ? { documented } : expected
    await expect(`${method} ${path}, ${name}`, formatRawRequest(request), possible)
  }
  const urls = [...malformedPaths(path, target, documented), ...malformedQueries(target, documented)]
  for (const { name, target: malformedTarget, expected } of urls) {
    const valid = example && { body: JSON.stringify(example) }
    const headers = [authorization, origin, ...(example ? ['Content-Type: application/json'] : [])]
    await expect(
      `${method} ${path}, ${name}`,
      formatRawRequest({ method, target: malformedTarget, headers, ...valid }),
      expected,
    )
  }
  for (const { name, headers, targetProjectId, code, isRejectedAt } of callers) {
    if (!isRejectedAt(access)) continue
    const callerTarget = target.replace(project.projectId, targetProjectId)
    const request = {
      method,
      target: callerTarget,
      body: invalidBody.body,
      headers: [...headers(access), ...invalidBody.headers],
    }
    await expect(`${method} ${path}, invalid body, ${name}`, formatRawRequest(request), expectRejection(code))
  }
}

interface UnauthorizedCaller {
  name: string
  headers: (access: string) => readonly string[]
  targetProjectId: string
  code: ProblemCode
  isRejectedAt: (access: string) => boolean
}

/** Unauthorized callers must learn only that, and nothing about the rest of their request. */
async function createUnauthorizedCallers(api: ColophonProcess, project: Project): Promise<UnauthorizedCaller[]> {
  const fullKey = await newKey(api, project)
  const withoutScope = new Map<string, string>()
  for (const scope of scopes) {
    const others = scopes.filter((other) => other !== scope && other !== 'project:write')
    withoutScope.set(scope, await newKey(api, project, others))
  }
  const base = { targetProjectId: project.projectId, isRejectedAt: (access: string) => withoutScope.has(access) }
  return [
    {
      ...base,
      name: 'no key',
      headers: () => [],
      code: 'unauthenticated',
      isRejectedAt: (access) => access !== 'public',
    },
    {
      ...base,
      name: 'a foreign project',
      headers: () => [authorizationWith(fullKey)],
      targetProjectId: newId('prj'),
      code: 'not_found',
    },
    {
      ...base,
      name: 'a key without the scope',
      headers: (access) => [authorizationWith(withoutScope.get(access) ?? '')],
      code: 'insufficient_scope',
    },
  ]
}

/** Resets the connection right after each request, so that the service responds to a closed connection. */
async function sendAndDisconnect({ run, api, operations, newProject }: Fixture): Promise<void> {
  const times = { ci: 5, stated: 50, full: 300 }[run.size]
  const project = await newProject()
  const authorization = authorizationWith(project.key)
  const requests = [
    ...createMalformedHttpRequests(authorization).map(({ bytes }) => bytes),
    ...slowRequests(`/v2/projects/${project.projectId}/keys`, authorization).map(({ firstBytes }) => firstBytes),
  ]
  for (const operation of operations) {
    const target = (await createUrlWithExampleResources(api.url, operation, project)).slice(api.url.length)
    const headers = [authorization, 'Content-Type: application/json']
    requests.push(
      formatRawRequest({
        method: operation.method,
        target,
        headers,
        body: JSON.stringify(operation.bodyExample ?? {}),
      }),
    )
  }
  for (let round = 0; round < times; round++) await Promise.all(requests.map((bytes) => sendAndReset(api.url, bytes)))
  run.check(api.process.pid !== undefined, 'the service survives disconnecting clients')
  run.figure('requests with an immediate disconnect', times * requests.length)
}

/** The server's own timeout is 30 s, checked every 5 s. */
const timeoutSeconds = { earliest: 29, latest: 45 }

async function sendNeverEndingRequests({ run, api, newProject }: Fixture): Promise<void> {
  const countPerKind = { ci: 5, stated: 50, full: 300 }[run.size]
  const { projectId, key } = await newProject()
  const kinds = slowRequests(`/v2/projects/${projectId}/keys`, authorizationWith(key))
  const outcomes = await Promise.all(
    kinds.flatMap((kind) =>
      Array.from({ length: countPerKind }, async () => {
        const { response, seconds } = await sendSlowly(api.url, kind, 2 * timeoutSeconds.latest)
        return {
          name: kind.name,
          violation: findResponseViolation(response, expectRejection('request_timeout')),
          seconds,
        }
      }),
    ),
  )
  for (const { name, violation, seconds } of outcomes) {
    run.check(violation === undefined, `${name} is rejected with request_timeout: ${violation}`)
    const inTime = seconds > timeoutSeconds.earliest && seconds < timeoutSeconds.latest
    run.check(inTime, `${name} is rejected after about 30 s: ${seconds.toFixed(1)} s`)
  }
  const all = outcomes.map(({ seconds }) => seconds)
  run.log(`${outcomes.length} slow clients timed out`)
  run.figure(
    'slow clients',
    `${outcomes.length} (timed out after ${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} s)`,
  )
}
