/**
 * Three kinds of bad requests at once, on one running service: those that Schemathesis makes from the OpenAPI document, those
 * made by hand, and those that never end. Meanwhile an ordinary client goes on asking. What counts as a failure of the
 * service is read from its own log.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ColophonProcess, makeProject } from '../dev-services/colophon.ts'
import { type Scope, scopes } from '../server/src/keys/scopes.ts'
import type { ProblemCode } from '../server/src/platform/http/problem.ts'
import { newId } from '../server/src/platform/ids.ts'
import { asDeployed } from './kit/as-deployed.ts'
import { addressesOfNothing, oddPaths, oddQueriesOf } from './kit/bad-addresses.ts'
import { badBodies, unaskedBodies } from './kit/bad-bodies.ts'
import { badHttp } from './kit/bad-http.ts'
import { type Expected, faultOf, refusedAs } from './kit/contract-answer.ts'
import { connectExampleRepository } from './kit/example-repository.ts'
import { bearer, call } from './kit/http-call.ts'
import { askOrdinarily } from './kit/ordinary-client.ts'
import { type LetAnHourPass, passingHours } from './kit/passing-hours.ts'
import { originOf } from './kit/people.ts'
import { exchange, hangUp, rawRequest } from './kit/raw-http.ts'
import { exampleUrl, makeExampleSiteKey, type Operation, operationsOf } from './kit/route-examples.ts'
import { runningService } from './kit/running-service.ts'
import { type FuzzedOperation, findWithSchemathesis } from './kit/schemathesis.ts'
import { endOfLog, type LoggedRequest, loggedSince } from './kit/service-log.ts'
import { sendSlowly, slowRequests } from './kit/slow-clients.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'No request, however bad, makes the service fail or answer outside its contract'

/**
 * What may refuse a request that its schema allows, and with which status. Every other operation has to take it, unless a
 * limit or the state of things forbids.
 */
const furtherRules: Readonly<Record<string, { statuses: readonly number[]; rule: string }>> = {
  'POST /v2/projects/{projectId}/keys': {
    statuses: [400],
    rule: 'networks have to be networks, and an end in the future',
  },
  ...Object.fromEntries(
    ['views', 'views.csv', 'views/timeseries', 'readers', 'coverage'].map((report) => [
      `GET /v1/analytics/{projectId}/${report}`,
      {
        statuses: [400],
        rule: 'a range has to have days of the calendar, begin before it ends, and a time zone to be one',
      },
    ]),
  ),
  ...Object.fromEntries(
    ['/v2/setup/owner', '/v2/projects/{projectId}/members', '/v2/projects/{projectId}/invitations'].map((path) => [
      `POST ${path}`,
      { statuses: [400], rule: 'an address has to be one that can sign in' },
    ]),
  ),
  'POST /v2/projects/{projectId}/repository': { statuses: [400], rule: 'the repository has to be there' },
  'PATCH /v2/projects/{projectId}/repository': { statuses: [400], rule: 'templates need their variables' },
  'PATCH /v2/projects/{projectId}/settings': { statuses: [400], rule: 'a model has to be there' },
  'PATCH /v1/analytics/{projectId}/settings': { statuses: [400], rule: 'an origin has to be as browsers write it' },
  // Of their other forms a schema says only that they are text.
  'POST /v1/ingest/{projectId}/views': { statuses: [400, 413], rule: 'a line has to be a view' },
  'POST /v1/collect': { statuses: [400, 413], rule: 'the text has to be a beacon, and a short one' },
  'PATCH /v2/projects/{projectId}/members/{memberId}': { statuses: [400], rule: 'the last owner stays one' },
  'DELETE /v2/projects/{projectId}/members/{memberId}': { statuses: [400], rule: 'the last owner stays' },
  // Of a header with a pattern Schemathesis makes no valid value and believes that it did (4.32.5).
  'GET /v2/agent/{projectId}/job/{id}/events': { statuses: [400], rule: 'a Last-Event-ID has to look like one' },
  'POST /v2/agent/{projectId}/job': {
    statuses: [400, 422],
    rule: 'a model has to be there, and an Idempotency-Key is for one request',
  },
  'POST /v2/agent/{projectId}/job/{id}/message': {
    statuses: [400, 422],
    rule: 'a check has to be one that failed, and an Idempotency-Key is for one request',
  },
}

/** What no request of this proof can do, for what it would need is not there. */
const neverTaken: Readonly<Record<string, string>> = {
  'POST /v2/projects/{projectId}/repository': 'it is tested first, and there is no code host',
  ...Object.fromEntries(
    ['authorizations', 'authorizations/complete', 'repository/test', 'repository'].map((rest) => [
      `POST /v2/projects/{projectId}/github/${rest}`,
      'a key has no account on GitHub',
    ]),
  ),
}

type Project = { projectId: string; key: string }

interface Stage {
  run: ProofRun
  api: ColophonProcess
  operations: readonly Operation[]
  logFile: string
  /** One for each part of the proof: none is to use up what a project may do in a minute or an hour for another. */
  newProject(): Promise<Project>
  letAnHourPass: LetAnHourPass
}

export async function prove(run: ProofRun): Promise<void> {
  const service = await runningService(run, 'bad_requests')
  const api = await service.startApi({
    COLOPHON_LOG_LEVEL: 'debug', // health is logged at that level only
    ...asDeployed.api,
  })
  const stage: Stage = {
    run,
    api,
    operations: await operationsOf(api.url),
    logFile: join(service.directory, 'api.log'),
    async newProject() {
      const project = await makeProject(service.environment, 'Fuzzed')
      await connectExampleRepository(service, project.projectId)
      return project
    },
    letAnHourPass: passingHours(run, service),
  }
  await makeExampleSiteKey(stage.operations, service.instance.postgresUrl, (await stage.newProject()).projectId)
  const ordinary = await askOrdinarily(run, api, (await stage.newProject()).key)
  const slow = neverEnding(stage)
  await madeFromTheContract(stage)
  await madeByHand(stage)
  await hungUp(stage)
  await slow
  await ordinary.stop()

  const { requests, errors } = await loggedSince(stage.logFile, 0)
  const failures = requests.filter(({ status }) => status >= 500)
  run.check(failures.length === 0, `no request is logged as failed: ${JSON.stringify(failures.slice(0, 5))}`)
  run.check(errors.length === 0, `nothing is logged as an error: ${errors.slice(0, 3).join('\n').slice(0, 2000)}`)
  run.figure('requests in the log, of these failed', `${requests.length}, ${failures.length}`)
}

const nameOf = ({ method, path }: { method: string; path?: string | undefined }) => `${method} ${path}`

async function newKey(
  api: ColophonProcess,
  { projectId, key }: Project,
  granted: readonly Scope[] = scopes,
): Promise<string> {
  const response = await call({
    method: 'POST',
    url: `${api.url}/v2/projects/${projectId}/keys`,
    headers: [...bearer(key), 'content-type', 'application/json'],
    body: JSON.stringify({ name: 'of this proof', scopes: granted }),
  })
  return (JSON.parse(response.text) as { secret: string }).secret
}

const authorizationWith = (key: string) => `Authorization: Bearer ${key}`

/** Some examples are sent in several forms, and each operation is asked in some ways that are not counted as examples. */
const requestsPerExample = 1.5

async function madeFromTheContract(stage: Stage): Promise<void> {
  const { run, api, operations, logFile, newProject, letAnHourPass } = stage
  for (const [name, { rule }] of Object.entries(furtherRules))
    run.check(operations.map(nameOf).includes(name), `${name} is an operation: ${rule}`)
  for (const [name, why] of Object.entries(neverTaken))
    run.check(operations.map(nameOf).includes(name), `${name} is an operation: ${why}`)
  const wanted = { ci: 500, stated: 5_000, full: 20_000 }[run.size]
  const directory = mkdtempSync(join(tmpdir(), 'colophon-schemathesis-'))
  run.cleanUp(async () => rmSync(directory, { recursive: true, force: true }))
  let seen: LoggedRequest[] = []
  for (let round = 0; seen.length < wanted; round++) {
    const examplesPerOperation = Math.ceil((wanted - seen.length) / operations.length / requestsPerExample)
    // More than one: Schemathesis is quicker than what a project may do in a minute.
    const projects = await Promise.all(Array.from({ length: { ci: 1, stated: 4, full: 8 }[run.size] }, newProject))
    const fuzzed = await Promise.all(
      operations.map(async (operation, index): Promise<FuzzedOperation> => {
        const project = projects[index % projects.length] ?? (await newProject())
        const ids = await realIds(stage, project, operation, Math.min(examplesPerOperation, 100))
        const key = await newKey(api, project)
        return { operation, key, ids, mayRefuseWith: furtherRules[nameOf(operation)]?.statuses ?? [] }
      }),
    )
    const start = endOfLog(logFile)
    const searching = findWithSchemathesis({
      apiUrl: api.url,
      operations: fuzzed,
      seed: run.seed + round,
      examplesPerOperation,
      directory,
    })
    const found = await whileHoursPass(searching, letAnHourPass)
    run.check(found === undefined, `every answer to Schemathesis is in the contract:\n${found}`)
    const { requests } = await loggedSince(logFile, start)
    seen = seen.concat(requests.filter(({ method }) => method !== 'HEAD')) // HEAD: the ordinary client
    run.say(`Schemathesis: ${seen.length} of ${wanted} requests`)
    if (found) break
    if (requests.length === 0) throw new Error('Schemathesis sends nothing')
  }
  const taken = Map.groupBy(
    seen.filter(({ status }) => status >= 200 && status < 300),
    nameOf,
  )
  for (const operation of operations.filter((one) => takesKeys(one) && !isWayIn(one))) {
    const name = nameOf(operation)
    if (name in neverTaken) continue
    run.check((taken.get(name)?.length ?? 0) > 0, `${name} is also asked in a way that it takes`)
  }
  const byHundreds = Map.groupBy(seen, ({ status }) => `${Math.floor(status / 100)}xx`)
  const shares = [...byHundreds].map(([kind, requests]) => `${kind} ${requests.length}`).toSorted()
  run.figure('requests by Schemathesis', `${seen.length} (${shares.join(', ')})`)
  run.figure(
    'operations, of these taken at least once',
    `${operations.length}, ${operations.filter((operation) => taken.has(nameOf(operation))).length}`,
  )
}

/** Many hours in a minute: what a project may do in one of them is soon done. */
async function whileHoursPass<Result>(work: Promise<Result>, letAnHourPass: LetAnHourPass): Promise<Result> {
  let working = true
  const ended = work.finally(() => {
    working = false
  })
  while (working) {
    await letAnHourPass()
    await Promise.race([ended, sleep(250)])
  }
  return ended
}

const usesUp = ({ method, bodyExample }: Operation) =>
  method === 'DELETE' || (method === 'POST' && bodyExample === undefined)

/** What a request can use up, like something to remove, there is many times; of everything else one will do. */
async function realIds(
  { api, letAnHourPass }: Stage,
  project: Project,
  operation: Operation,
  atMost: number,
): Promise<Record<string, string[]>> {
  const found = await inOrder(usesUp(operation) ? atMost : 1, async (index) => {
    if (index % hourEvery === 0) await letAnHourPass()
    return new URL(await exampleUrl(api.url, operation, project)).pathname.split('/')
  })
  const parts = operation.path.split('/')
  const parameters = parts.flatMap((part, index) => (part.startsWith('{') ? [{ name: part.slice(1, -1), index }] : []))
  return Object.fromEntries(
    parameters.map(({ name, index }) => [name, [...new Set(found.map((path) => path[index] ?? ''))]]),
  )
}

/** Requests: fewer than a job may have messages that wait, and a project jobs in an hour. */
const hourEvery = 15

async function inOrder<Result>(times: number, act: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < times) results.push(await act(results.length))
  return results
}

/** With more of them one project would come to what it may change in a minute. */
const operationsPerProject = 5

async function madeByHand({ run, api, operations, newProject, letAnHourPass }: Stage): Promise<void> {
  let asked = 0
  let slowest = { seconds: 0, what: '' }
  const expect = async (what: string, bytes: Buffer | string, expected: Expected) => {
    if (asked % hourEvery === 0) await letAnHourPass()
    const { response, seconds } = await exchange(api.url, bytes)
    if (api.part.pid === undefined) throw new Error(`the service ended: ${what}`)
    asked++
    if (seconds > slowest.seconds) slowest = { seconds, what }
    const fault = faultOf(response, expected)
    run.check(fault === undefined, `${what}: ${fault} (${response?.status} ${response?.text.slice(0, 300)})`)
  }
  let project = await newProject()
  let visitors = await badVisitors(api, project)
  // A third of them in CI, another each time: the seed says which.
  const isAsked = (_operation: Operation, index: number) => run.size !== 'ci' || (index + run.seed) % 3 === 0
  const asking = operations.filter((one) => takesKeys(one) && !isWayIn(one)).filter(isAsked)
  for (const [index, operation] of asking.entries()) {
    if (index % operationsPerProject === operationsPerProject - 1) {
      project = await newProject()
      visitors = await badVisitors(api, project)
    }
    await badWaysToAsk(api, project, operation, visitors, expect)
  }
  for (const { name, target, expected } of addressesOfNothing) {
    for (const method of ['GET', 'POST'])
      await expect(`${method} ${name}`, rawRequest({ method, target, ...allWrong }), expected)
  }
  const authorization = authorizationWith(await newKey(api, project))
  for (const { name, bytes, expected } of badHttp(authorization)) await expect(name, bytes, expected)
  run.say(`${asked} requests by hand; the slowest answer took ${slowest.seconds.toFixed(2)} s: ${slowest.what}`)
  run.check(slowest.seconds < 5, 'every request by hand is answered within 5 s')
  run.figure('requests by hand, slowest answer in seconds', `${asked}, ${slowest.seconds.toFixed(2)}`)
}

/** A session's own routes are looked at by the proof `roles`. */
const takesKeys = ({ access }: Operation) => access !== 'session' && access !== 'operator'

/** By signing in and the like: takes what only a person knows, or has in the mail. */
const isWayIn = ({ method, path, access }: Operation) =>
  access === 'public' && method !== 'GET' && path !== '/v1/collect'

/** Media type, encoding and body: whatever else is checked comes before. */
const allWrong = { headers: ['Content-Type: text/xml', 'Content-Encoding: br'], body: '{' }

type Expect = (what: string, bytes: Buffer | string, expected: Expected) => Promise<void>

async function badWaysToAsk(
  api: ColophonProcess,
  project: Project,
  operation: Operation,
  visitors: readonly BadVisitor[],
  expect: Expect,
): Promise<void> {
  const { method, path, access, statuses } = operation
  const targetNow = async () => (await exampleUrl(api.url, operation, project)).slice(api.url.length)
  const target = await targetNow()
  const authorization = authorizationWith(await newKey(api, project))
  const origin = `Origin: ${originOf(api.url)}`
  const documented = statuses.filter((status) => status < 500)
  const example = operation.bodyExample as Record<string, unknown> | undefined
  const bodies = example ? badBodies(example, operation.bodyForm, { documented }) : unaskedBodies()
  for (const { name, headers, expected, ...body } of bodies) {
    const fresh = usesUp(operation) ? await targetNow() : target
    const request = { method, target: fresh, headers: [authorization, origin, ...headers], ...body }
    const mayBeTaken = expected === 'taken' || 'documented' in expected
    const canBe = mayBeTaken && nameOf(operation) in neverTaken ? { documented } : expected
    await expect(`${method} ${path}, ${name}`, rawRequest(request), canBe)
  }
  const addresses = [...oddPaths(path, target, documented), ...oddQueriesOf(target, documented)]
  for (const { name, target: odd, expected } of addresses) {
    const valid = example && { body: JSON.stringify(example) }
    const headers = [authorization, origin, ...(example ? ['Content-Type: application/json'] : [])]
    await expect(`${method} ${path}, ${name}`, rawRequest({ method, target: odd, headers, ...valid }), expected)
  }
  for (const { name, headers, ofProject, code, refusedAt } of visitors) {
    if (!refusedAt(access)) continue
    const elsewhere = target.replace(project.projectId, ofProject)
    const request = {
      method,
      target: elsewhere,
      body: allWrong.body,
      headers: [...headers(access), ...allWrong.headers],
    }
    await expect(`${method} ${path}, all wrong, ${name}`, rawRequest(request), refusedAs(code))
  }
}

interface BadVisitor {
  name: string
  headers: (access: string) => readonly string[]
  ofProject: string
  code: ProblemCode
  refusedAt: (access: string) => boolean
}

/** Who must not come in is told so, and nothing about the request that came along. */
async function badVisitors(api: ColophonProcess, project: Project): Promise<BadVisitor[]> {
  const wide = await newKey(api, project)
  const withoutScope = new Map<string, string>()
  for (const scope of scopes) {
    const others = scopes.filter((other) => other !== scope)
    withoutScope.set(scope, await newKey(api, project, others))
  }
  const base = { ofProject: project.projectId, refusedAt: (access: string) => withoutScope.has(access) }
  return [
    { ...base, name: 'no key', headers: () => [], code: 'unauthenticated', refusedAt: (access) => access !== 'public' },
    {
      ...base,
      name: "another's project",
      headers: () => [authorizationWith(wide)],
      ofProject: newId('prj'),
      code: 'not_found',
    },
    {
      ...base,
      name: 'lacking the scope',
      headers: (access) => [authorizationWith(withoutScope.get(access) ?? '')],
      code: 'insufficient_scope',
    },
  ]
}

/** Whoever resets the connection right after a request leaves the service to write to nobody. */
async function hungUp({ run, api, operations, newProject }: Stage): Promise<void> {
  const times = { ci: 5, stated: 50, full: 300 }[run.size]
  const project = await newProject()
  const authorization = authorizationWith(project.key)
  const requests = [
    ...badHttp(authorization).map(({ bytes }) => bytes),
    ...slowRequests(`/v2/projects/${project.projectId}/keys`, authorization).map(({ begins }) => begins),
  ]
  for (const operation of operations) {
    const target = (await exampleUrl(api.url, operation, project)).slice(api.url.length)
    const headers = [authorization, 'Content-Type: application/json']
    requests.push(
      rawRequest({ method: operation.method, target, headers, body: JSON.stringify(operation.bodyExample ?? {}) }),
    )
  }
  for (let round = 0; round < times; round++) await Promise.all(requests.map((bytes) => hangUp(api.url, bytes)))
  run.check(api.part.pid !== undefined, 'the service outlives those who hang up')
  run.figure('requests that hung up', times * requests.length)
}

/** The server's own limit is 30 s, looked at every 5. */
const cutAfterSeconds = { earliest: 29, latest: 45 }

async function neverEnding({ run, api, newProject }: Stage): Promise<void> {
  const ofEachKind = { ci: 5, stated: 50, full: 300 }[run.size]
  const { projectId, key } = await newProject()
  const kinds = slowRequests(`/v2/projects/${projectId}/keys`, authorizationWith(key))
  const cuts = await Promise.all(
    kinds.flatMap((kind) =>
      Array.from({ length: ofEachKind }, async () => {
        const { response, seconds } = await sendSlowly(api.url, kind, 2 * cutAfterSeconds.latest)
        return { name: kind.name, fault: faultOf(response, refusedAs('invalid_request')), seconds }
      }),
    ),
  )
  for (const { name, fault, seconds } of cuts) {
    run.check(fault === undefined, `${name} is refused: ${fault}`)
    const inTime = seconds > cutAfterSeconds.earliest && seconds < cutAfterSeconds.latest
    run.check(inTime, `${name} is cut off after 30 s: ${seconds.toFixed(1)} s`)
  }
  const all = cuts.map(({ seconds }) => seconds)
  run.say(`${cuts.length} slow clients were cut off`)
  run.figure(
    'slow clients, cut off after seconds',
    `${cuts.length}, ${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)}`,
  )
}
