/** Every route that a session can reach × everybody: exactly what the table in docs/roles.md says. */
import pg from 'pg'
import { makeProject } from '../dev-services/colophon.ts'
import { connectExampleRepository } from './kit/example-repository.ts'
import { type Answer, call } from './kit/http-call.ts'
import { passingHours } from './kit/passing-hours.ts'
import { firstOwner, invited, originOf, type SignedInPerson } from './kit/people.ts'
import { readRoleTable, type Verdict, type Visitor, visitors } from './kit/role-table.ts'
import { exampleModel, exampleUrl, makeExampleSiteKey, type Operation, operationsOf } from './kit/route-examples.ts'
import { runningService } from './kit/running-service.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'On the dashboard everybody may do what the table of roles says, and nothing else'

export async function prove(run: ProofRun): Promise<void> {
  const service = await runningService(run, 'roles')
  const { url } = await service.startApi()
  const mine = await makeProject(service.environment, 'Mine')
  const others = await makeProject(service.environment, 'Others')
  await connectExampleRepository(service, mine.projectId)
  const first = await firstOwner(url, service.environment) // and owner of both, which had nobody
  const people: Record<Exclude<Visitor, 'nobody'>, SignedInPerson> = {
    viewer: await invited(url, first, { projectId: mine.projectId, role: 'viewer', email: 'viewer@example.com' }),
    editor: await invited(url, first, { projectId: mine.projectId, role: 'editor', email: 'editor@example.com' }),
    owner: await invited(url, first, { projectId: mine.projectId, role: 'owner', email: 'an-owner@example.com' }),
    "another project's owner": await invited(url, first, {
      projectId: others.projectId,
      role: 'owner',
      email: 'other@example.com',
    }),
    operator: first,
  }
  // Who runs the installation is, in this project, nobody.
  const [me] = (await people.owner.client.members.list(mine.projectId)).members.filter(
    ({ email }) => email === 'first@example.com',
  )
  await people.owner.client.members.remove(mine.projectId, me?.id ?? '')

  const operations = (await operationsOf(url)).filter(({ access }) => access !== 'any-key')
  await makeExampleSiteKey(operations, service.instance.postgresUrl, mine.projectId)
  const table = readRoleTable()
  const names = operations.map(nameOf)
  for (const name of names) run.check(table.has(name), `${name} is in the table of docs/roles.md`)
  for (const name of table.keys()) run.check(names.includes(name), `${name} of the table is a route`)

  const letAnHourPass = passingHours(run, service)
  const database = new pg.Pool({ connectionString: service.instance.postgresUrl, max: 1 })
  run.cleanUp(() => database.end())
  const putExampleModel = () =>
    database.query(
      `INSERT INTO model (name, format, base_url, provider_model, context_window_tokens, max_output_tokens)
       VALUES ($1, 'openai-responses', 'http://model.invalid/v1', 'x', 1, 1) ON CONFLICT DO NOTHING`,
      [exampleModel],
    )
  let asked = 0
  let forged = 0
  for (const operation of operations) {
    const row = table.get(nameOf(operation))
    if (!row) continue
    await letAnHourPass()
    for (const who of visitors) {
      const person = who === 'nobody' ? undefined : people[who]
      const target = await exampleUrl(url, operation, mine)
      await putExampleModel()
      const headers = person?.headers() ?? ['origin', originOf(url)]
      const response = await ask(operation, target, headers)
      const verdict = verdictOn(response, operation)
      run.check(
        verdict === row[who],
        `${nameOf(operation)} by ${who} is ${row[who]}: ${response.status} ${response.text}`,
      )
      asked++
      if (person && endsSessions(operation)) await person.signInAgain()
    }
    if (operation.method === 'GET' || operation.path === '/v1/collect') continue
    for (const from of ['https://evil.example', 'null', undefined]) {
      const cookie = people.owner.headers().slice(0, 2)
      const target = await exampleUrl(url, operation, mine)
      const response = await ask(operation, target, [...cookie, ...(from === undefined ? [] : ['origin', from])])
      const isRefused = response.status === 403 && codeOf(response) === 'cross_origin'
      run.check(
        isRefused,
        `${nameOf(operation)} from ${from ?? 'nowhere'} is refused: ${response.status} ${response.text}`,
      )
      forged++
    }
  }
  run.figure('routes, requests, of other sites', `${operations.length}, ${asked}, ${forged}`)
}

const nameOf = ({ method, path }: Operation) => `${method} ${path}`

const endsSessions = ({ method, path }: Operation) => method === 'DELETE' && path === '/v2/session'

function ask({ method, bodyExample }: Operation, url: string, headers: readonly string[]): Promise<Answer> {
  const body = bodyExample === undefined ? {} : { body: JSON.stringify(bodyExample) }
  const type = bodyExample === undefined ? [] : ['content-type', 'application/json']
  return call({ method, url, headers: [...headers, ...type], ...body })
}

const codeOf = ({ text }: Answer) => (JSON.parse(text) as { code?: string }).code

/** Routes for anybody judge the request alone: that a made-up password is wrong says nothing about who asks. */
function verdictOn(response: Answer, { access }: Operation): Verdict | string {
  if (response.status >= 500) return `${response.status}`
  if (access === 'public') return response.status === 403 ? '403' : 'yes'
  if (response.status === 401 || response.status === 404) return `${response.status}`
  if (response.status === 403) return codeOf(response) === 'insufficient_role' ? '403' : `403 ${codeOf(response)}`
  return 'yes'
}
