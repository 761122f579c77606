/** Calls every route that a session can reach as every kind of caller and compares the result with the table in docs/roles.md. */
import { prepareColophon } from '../testing/harness/colophon.ts'
import { createHourlyLimitReset } from '../testing/harness/hourly-limit-reset.ts'
import { type HttpResponse, sendHttpRequest } from '../testing/harness/http-call.ts'
import {
  createFirstOwner,
  createInvitedMember,
  type SignedInPerson,
  toLocalhostOrigin,
} from '../testing/harness/people.ts'
import {
  type ApiOperation,
  createExampleSiteKey,
  createUrlWithExampleResources,
  exampleModel,
  examplePersonId,
  readApiOperations,
} from './judges/route-examples.ts'
import type { ProofRun } from './proof.ts'
import { type AccessVerdict, type Caller, callers, readRoleTable } from './role-permissions/role-table.ts'

export const guarantee = 'On the dashboard, every role can do what the permissions table says, and nothing else'

/** Page views come from other sites, and tokens from CI runs. Neither route reads a cookie. */
const pathsForOtherOrigins = ['/v1/collect', '/v2/projects/{projectId}/token-exchange']

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await prepareColophon(run, 'roles')
  const { url } = await colophon.start('api')
  const ownProject = await colophon.connectProject('Mine')
  const otherProject = await colophon.createProject('Others')
  const first = await createFirstOwner(url, colophon) // also becomes owner of both projects, which had no member
  const people: Record<Exclude<Caller, 'nobody'>, SignedInPerson> = {
    viewer: await createInvitedMember(url, first, {
      projectId: ownProject.projectId,
      role: 'viewer',
      email: 'viewer@example.com',
    }),
    editor: await createInvitedMember(url, first, {
      projectId: ownProject.projectId,
      role: 'editor',
      email: 'editor@example.com',
    }),
    owner: await createInvitedMember(url, first, {
      projectId: ownProject.projectId,
      role: 'owner',
      email: 'an-owner@example.com',
    }),
    "another project's owner": await createInvitedMember(url, first, {
      projectId: otherProject.projectId,
      role: 'owner',
      email: 'other@example.com',
    }),
    operator: first,
  }
  // The operator must not be a member of this project.
  const [operatorMember] = (await people.owner.client.members.list(ownProject.projectId)).members.filter(
    ({ email }) => email === 'first@example.com',
  )
  await people.owner.client.members.remove(ownProject.projectId, operatorMember?.id ?? '')

  const operations = (await readApiOperations(url)).filter(({ access }) => access !== 'any-key')
  await createExampleSiteKey(operations, colophon.postgresUrl, ownProject.projectId)
  const table = readRoleTable()
  const names = operations.map(nameOf)
  for (const name of names) run.check(table.has(name), `docs/roles.md has a row for ${name}`)
  for (const name of table.keys()) run.check(names.includes(name), `the row ${name} in docs/roles.md is a route`)

  const resetHourlyLimits = createHourlyLimitReset(colophon)
  const insertExampleModel = () =>
    colophon.pool.query(
      `INSERT INTO model (name, format, base_url, provider_model, context_window_tokens, max_output_tokens)
       VALUES ($1, 'openai-responses', 'http://model.invalid/v1', 'x', 1, 1) ON CONFLICT DO NOTHING`,
      [exampleModel],
    )
  const insertExamplePerson = () =>
    colophon.pool.query(
      "INSERT INTO person (id, name, email) VALUES ($1, 'An Example', 'example@example.com') ON CONFLICT DO NOTHING",
      [examplePersonId],
    )
  let requests = 0
  let crossOriginRequests = 0
  for (const operation of operations) {
    const row = table.get(nameOf(operation))
    if (!row) continue
    await resetHourlyLimits()
    for (const caller of callers) {
      const person = caller === 'nobody' ? undefined : people[caller]
      const target = await createUrlWithExampleResources(url, operation, ownProject)
      await insertExampleModel()
      await insertExamplePerson()
      const headers = person?.headers() ?? ['origin', toLocalhostOrigin(url)]
      const response = await send(operation, target, headers)
      const verdict = toVerdict(response, operation)
      run.check(
        verdict === row[caller],
        `${nameOf(operation)} as ${caller} is ${row[caller]}: ${response.status} ${response.text}`,
      )
      requests++
      if (person && endsSession(operation)) await person.signInAgain()
    }
    if (operation.method === 'GET' || pathsForOtherOrigins.includes(operation.path)) continue
    for (const origin of ['https://evil.example', 'null', undefined]) {
      const cookie = people.owner.headers().slice(0, 2)
      const target = await createUrlWithExampleResources(url, operation, ownProject)
      const response = await send(operation, target, [...cookie, ...(origin === undefined ? [] : ['origin', origin])])
      const isRejected = response.status === 403 && codeOf(response) === 'cross_origin'
      run.check(
        isRejected,
        `${nameOf(operation)} from ${origin ?? 'no origin'} is rejected as cross-origin: ${response.status} ${response.text}`,
      )
      crossOriginRequests++
    }
  }
  run.figure('routes', operations.length)
  run.figure('requests, every route as every caller', requests)
  run.figure('cross-origin requests', crossOriginRequests)
}

const nameOf = ({ method, path }: ApiOperation) => `${method} ${path}`

const endsSession = ({ method, path }: ApiOperation) => method === 'DELETE' && path === '/v2/session'

function send({ method, bodyExample }: ApiOperation, url: string, headers: readonly string[]): Promise<HttpResponse> {
  const body = bodyExample === undefined ? {} : { body: JSON.stringify(bodyExample) }
  const type = bodyExample === undefined ? [] : ['content-type', 'application/json']
  return sendHttpRequest({ method, url, headers: [...headers, ...type], ...body })
}

const codeOf = ({ text }: HttpResponse) => (JSON.parse(text) as { code?: string }).code

/** Public routes do not depend on the caller: a 401 for a wrong password in the example is not a matter of permissions. */
function toVerdict(response: HttpResponse, { access }: ApiOperation): AccessVerdict | string {
  if (response.status >= 500) return `${response.status}`
  if (access === 'public') return response.status === 403 ? '403' : 'yes'
  if (response.status === 401 || response.status === 404) return `${response.status}`
  if (response.status === 403) return codeOf(response) === 'insufficient_role' ? '403' : `403 ${codeOf(response)}`
  return 'yes'
}
