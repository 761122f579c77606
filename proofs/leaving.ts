/**
 * Removes, demotes, disables and deletes people who have every way in, and revokes a key: within seconds none of them works, on two
 * replicas of `api` and at the gateway, and nothing of others stops.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../sdk/src/index.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { createBrowserClient } from '../testing/harness/browser-client.ts'
import { prepareColophon } from '../testing/harness/colophon.ts'
import { formatBearerHeader, sendHttpRequest } from '../testing/harness/http-call.ts'
import {
  createFirstOwner,
  createInvitedMember,
  personPassword,
  type SignedInPerson,
  toLocalhostOrigin,
} from '../testing/harness/people.ts'
import { createSoftwareAuthenticator } from '../testing/harness/software-authenticator.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { credentialColumns, credentialOperations } from './leaving/credentials.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'When a person or a key loses access, everything that they created to get in stops within 5 seconds, and nothing of others does'

const maxSeconds = 5
const behindProxy = { COLOPHON_TRUSTED_PROXIES: '127.0.0.1' }
const operatorEmail = 'first@example.com'

interface Setup {
  run: ProofRun
  apiUrls: readonly [string, string]
  gatewayUrl: string
  operator: SignedInPerson
  createProject(): Promise<Id<'prj'>>
  createPasswordLink(email: string): Promise<string>
  findPersonId(email: string): Promise<string>
}

interface Attempt {
  isAccepted: boolean
  /** How the process responded. */
  response: string
}

/** A way to use the instance. */
interface WayIn {
  name: string
  /** Sends it to each process that may accept it. */
  use(): Promise<Attempt[]>
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'leaving')
  const [first, second, worker] = await Promise.all([
    colophon.start('api', behindProxy),
    colophon.start('api', behindProxy),
    colophon.start('worker', { COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '60' }), // the proof sends heartbeats for its turns only at times
  ])
  const setup: Setup = {
    run,
    apiUrls: [first.url, second.url],
    gatewayUrl: worker.url,
    operator: await createFirstOwner(first.url, colophon),
    async createProject() {
      const { projectId } = await colophon.connectProject('Handbook')
      await colophon.stores.members.add(projectId, { email: operatorEmail, role: 'owner' }, operator)
      await colophon.pool.query(
        'UPDATE project_member SET person_id = (SELECT id FROM person WHERE email = $1) WHERE email = $1',
        [operatorEmail],
      )
      return projectId
    },
    createPasswordLink: (email) => colophon.stores.people.createPasswordResetToken(email),
    findPersonId: (email) => colophon.stores.accounts.findIdByEmail(email),
  }
  await everyCredentialIsKnown(run, colophon.pool, first.url)
  const rounds = { ci: 1, stated: 3, full: 50 }[run.size]
  let slowestMs = 0
  for (let round = 0; round < rounds; round++)
    for (const departure of departures) {
      // The passwords that stopped working count as failed sign-ins from this network, and would delay those of the next departure.
      await colophon.pool.query('DELETE FROM sign_in_counter')
      slowestMs = Math.max(slowestMs, await leave(setup, departure, `${departure.name.replaceAll(' ', '-')}-${round}`))
    }
  run.figure('departures', `${rounds * departures.length} (${departures.map(({ name }) => name).join(', ')})`)
  run.figure('until no way in worked, including the requests, at most', `${Math.round(slowestMs)} ms`, {
    goal: `≤ ${maxSeconds} s`,
    isMet: slowestMs <= maxSeconds * 1000,
  })
}

/** A new table or route with a credential makes this fail, until the proof covers it or says why it is not a way in. */
async function everyCredentialIsKnown(
  run: ProofRun,
  pool: { query(sql: string): Promise<{ rows: { name: string }[] }> },
  apiUrl: string,
): Promise<void> {
  const { rows } = await pool.query(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND data_type IN ('text', 'bytea')
       AND column_name <> 'error_code'
       AND (column_name ~ '(token|secret|password|sealed|hash|value|code)' OR (data_type = 'bytea' AND column_name ~ 'key'))`,
  )
  const columns = rows.map(({ name }) => name)
  for (const name of columns)
    run.check(name in credentialColumns, `proofs/leaving/credentials.ts says what the column ${name} is`)
  for (const name of Object.keys(credentialColumns)) run.check(columns.includes(name), `the column ${name} exists`)
  const { text } = await sendHttpRequest({ method: 'GET', url: `${apiUrl}/openapi.json` })
  const operations = findCredentialOperations(JSON.parse(text) as OpenApiDocument)
  for (const name of operations)
    run.check(name in credentialOperations, `proofs/leaving/credentials.ts says what ${name} gives out`)
  for (const name of Object.keys(credentialOperations))
    run.check(operations.includes(name), `the operation ${name} gives out a credential`)
  run.figure('columns and operations with credentials', `${columns.length} and ${operations.length}`)
}

interface OpenApiDocument {
  components: { schemas: Record<string, unknown> }
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
}

/** Operations whose successful response sets a cookie, or has a field for a token, secret or link. Links in shared schemas are others. */
const findCredentialOperations = ({ paths, components }: OpenApiDocument): string[] => {
  const withSchemas = (response: unknown) =>
    JSON.stringify(response).replace(/"#\/components\/schemas\/(\w+)"/g, (_, name: string) =>
      JSON.stringify(components.schemas[name]),
    )
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ responses }) =>
      Object.entries(responses).some(
        ([status, response]) =>
          status.startsWith('2') &&
          (/"(?:Set-Cookie|url)":\{/.test(JSON.stringify(response)) ||
            /"(?:token|secret|attemptToken)":\{/.test(withSchemas(response))),
      ),
    )
    .map(({ operationId }) => operationId)
}

interface Departure {
  name: string
  /** Whether the person cannot sign in any more. */
  endsAccount: boolean
  /** Ways in that stay, by name. */
  remaining: readonly string[]
  perform(
    setup: Setup,
    leaving: { projectId: string; email: string; memberId: string; keyId: string },
  ): Promise<unknown>
}

const departures: readonly Departure[] = [
  {
    name: 'member removed',
    endsAccount: false,
    // The account stays, without access to the project.
    remaining: ['session', 'password', 'passkey'],
    perform: ({ operator }, { projectId, memberId }) => operator.client.members.remove(projectId, memberId),
  },
  {
    name: 'member demoted',
    endsAccount: false,
    remaining: ['session', 'password', 'passkey', 'project as a reader', 'key of the new role'],
    perform: ({ operator }, { projectId, memberId }) =>
      operator.client.members.changeRole(projectId, memberId, { role: 'viewer' }),
  },
  {
    name: 'person disabled',
    endsAccount: true,
    remaining: [],
    perform: async ({ operator, findPersonId }, { email }) => operator.client.people.disable(await findPersonId(email)),
  },
  {
    name: 'person deleted',
    endsAccount: true,
    remaining: [],
    perform: async ({ operator, findPersonId }, { email }) => operator.client.people.delete(await findPersonId(email)),
  },
  {
    name: 'key revoked',
    endsAccount: false,
    remaining: [
      'session',
      'password',
      'passkey',
      'project as a reader',
      'project as an owner',
      'key of the new role',
      'runner',
      'previous runner token',
      'invitation',
    ],
    perform: ({ operator }, { projectId, keyId }) => operator.client.keys.revoke(projectId, keyId),
  },
]

/** Returns how long it took until no way in worked that must stop. */
async function leave(setup: Setup, departure: Departure, label: string): Promise<number> {
  const { run, operator: acting } = setup
  const email = `${label}@example.com`
  const projectId = await setup.createProject()
  const colleague = await createWaysIn(setup, projectId, `colleague-of-${label}@example.com`)
  const leaving = await createWaysIn(setup, projectId, email)
  const passwordLink = await setup.createPasswordLink(email)
  const { members } = await acting.client.members.list(projectId)
  const memberId = members.find((member) => member.email === email)?.id ?? ''
  const checkAccepted = async ({ name, use }: WayIn, description: string) => {
    const attempts = await use()
    const responses = attempts.map(({ response }) => response).join(', ')
    run.check(
      attempts.every(({ isAccepted }) => isAccepted),
      `${label}: ${name} ${description} (${responses})`,
    )
  }
  for (const way of [...leaving.ways, ...colleague.ways]) await checkAccepted(way, 'works before')
  await departure.perform(setup, { projectId, email, memberId, keyId: leaving.keyId })
  const startMs = performance.now()
  const ended = leaving.ways.filter(({ name }) => !departure.remaining.includes(name))
  let working = ended
  while (working.length > 0 && performance.now() - startMs < maxSeconds * 1000) {
    const results = await Promise.all(working.map(async (way) => ({ way, attempts: await way.use() })))
    working = results.filter(({ attempts }) => attempts.some(({ isAccepted }) => isAccepted)).map(({ way }) => way)
    if (working.length > 0) await sleep(100)
  }
  const tookMs = performance.now() - startMs
  run.check(
    working.length === 0,
    `${label}: nothing works after ${maxSeconds} s (${working.map(({ name }) => name).join(', ') || 'nothing'})`,
  )
  if (departure.endsAccount) {
    const body = { token: passwordLink, newPassword: 'another sentence of theirs' }
    const status = await callApi(`${setup.apiUrls[1]}/v2/password-reset`, { method: 'POST', body })
    run.check(status === 404, `${label}: the link for setting a password is invalid (${status})`)
  }
  for (const way of leaving.ways.filter(({ name }) => departure.remaining.includes(name)))
    await checkAccepted(way, 'still works')
  for (const way of colleague.ways) await checkAccepted(way, 'of a colleague still works')
  run.log(`${label}: ${ended.length} ways in stopped, ${colleague.ways.length} of a colleague work`)
  return tookMs
}

/** A new owner of the project, with every way in. */
async function createWaysIn(
  setup: Setup,
  projectId: Id<'prj'>,
  email: string,
): Promise<{ ways: WayIn[]; keyId: string }> {
  const { apiUrls, gatewayUrl, operator } = setup
  const person = await createInvitedMember(apiUrls[0], operator, { projectId, role: 'owner', email })
  const key = await person.client.keys.create(projectId, { name: 'a key', scopes: [...scopes] })
  const withKey = createClient({ baseUrl: apiUrls[0], apiKey: key.secret })
  const child = await withKey.keys.create(projectId, { name: 'a child', scopes: [...scopes] })
  const reading = await person.client.keys.create(projectId, { name: 'reading', scopes: ['agent:read'] })
  const runner = await person.client.runners.create(projectId, { name: 'a runner' })
  const rotated = await person.client.runners.rotateToken(projectId, runner.runner.id, { overlapHours: 1 })
  const runnerOfKey = await withKey.runners.create(projectId, { name: 'a runner of a key' })
  const attemptToken = await claimTurn(setup, withKey, projectId, runnerOfKey.token)
  const invite = (client: typeof withKey) =>
    client.invitations.create(projectId, { email: `${crypto.randomUUID()}@example.com`, role: 'viewer' })

  const inApi = (name: string, request: (url: string) => Promise<Attempt>): WayIn => ({
    name,
    use: () => Promise.all(apiUrls.map(request)),
  })
  const withHeaders = (name: string, path: string, headers: readonly string[], change?: ApiCall) =>
    inApi(name, async (url) => {
      const status = await callApi(url + path, { ...change, headers })
      return { isAccepted: status === 200, response: String(status) }
    })
  const inGateway = (name: string, token: string, path: string, body: unknown): WayIn => ({
    name,
    async use() {
      const { status, text } = await callGateway(`${gatewayUrl}/runner/${path}`, token, body)
      const isAccepted = status === 200 || status === 204 // nothing to claim
      return [{ isAccepted, response: isAccepted ? String(status) : `${status} ${text}` }]
    },
  })
  const withSecret = (name: string, secret: string) => withHeaders(name, '/v2/me', formatBearerHeader(secret))
  const withRunnerToken = (name: string, token: string) => inGateway(name, token, 'claim', { waitSeconds: 0 })
  const withLink = (name: string, { url: link }: { url: string | null }) =>
    withHeaders(name, '/v2/invitations/lookup', [], {
      method: 'POST',
      body: { token: new URL(link ?? '').hash.slice(1) },
    })
  const cookie = person.headers().slice(0, 2)
  const ways: WayIn[] = [
    withHeaders('session', '/v2/projects', cookie),
    withHeaders('project as a reader', `/v2/projects/${projectId}`, cookie),
    withHeaders('project as an owner', `/v2/projects/${projectId}`, cookie, {
      method: 'PATCH',
      body: { name: 'Handbook' },
    }),
    withHeaders('password', '/v2/session', [], { method: 'POST', body: { email, password: personPassword } }),
    inApi('passkey', await addPasskey(person, apiUrls[0])),
    withSecret('key', key.secret),
    withSecret('child key', child.secret),
    withSecret('key of the new role', reading.secret),
    withRunnerToken('runner', rotated.token),
    withRunnerToken('previous runner token', runner.token),
    withRunnerToken('runner of a key', runnerOfKey.token),
    inGateway('turn in progress', attemptToken, 'events', { firstIndex: 0, events: [] }),
    withLink('invitation', await invite(person.client)),
    withLink('invitation of a key', await invite(withKey)),
  ]
  return { ways, keyId: key.key.id }
}

/** Adds a passkey. Returns a function that signs in with it. */
async function addPasskey({ client }: SignedInPerson, apiUrl: string): Promise<(url: string) => Promise<Attempt>> {
  const passkey = createSoftwareAuthenticator()
  const origin = toLocalhostOrigin(apiUrl)
  const credential = passkey.create(await client.session.startPasskey(), { origin })
  await client.session.addPasskey({ name: 'a passkey', credential })
  return async (url) => {
    const { client: browser } = createBrowserClient(url, toLocalhostOrigin(url), {
      'x-forwarded-for': randomAddress(),
    })
    const signed = passkey.get(await browser.session.startPasskeySignIn(), { origin: toLocalhostOrigin(url) })
    return browser.session.signInWithPasskey(signed).then(
      ({ person }) => ({ isAccepted: person !== null, response: 'a session' }),
      (error: unknown) => ({ isAccepted: false, response: String(error) }),
    )
  }
}

interface ApiCall {
  method?: string
  headers?: readonly string[]
  body?: unknown
}

/** As from a page of the dashboard, and from another network each time, because attempts are limited by network. */
async function callApi(url: string, { method = 'GET', headers = [], body }: ApiCall): Promise<number> {
  const { status } = await sendHttpRequest({
    method,
    url,
    headers: [
      ...headers,
      'sec-fetch-site',
      'same-origin',
      'x-forwarded-for',
      randomAddress(),
      ...(body === undefined ? [] : ['content-type', 'application/json']),
    ],
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return status
}

const randomAddress = () => `10.${randomByte()}.${randomByte()}.1`
const randomByte = () => Math.floor(Math.random() * 256)

async function callGateway(url: string, token: string, body: unknown): Promise<{ status: number; text: string }> {
  const headers = [...formatBearerHeader(token), 'content-type', 'application/json']
  return sendHttpRequest({ method: 'POST', url, headers, body: JSON.stringify(body) })
}

/** Creates a job and claims its turn. */
async function claimTurn({ gatewayUrl }: Setup, withKey: Client, projectId: string, token: string): Promise<string> {
  await withKey.jobs.create(projectId, { prompt: 'Wait.' })
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; ) {
    const { status, text } = await callGateway(`${gatewayUrl}/runner/claim`, token, { waitSeconds: 5 })
    if (status === 200) return (JSON.parse(text) as { attemptToken: string }).attemptToken
  }
  throw new Error('no turn was queued within 30 s')
}
