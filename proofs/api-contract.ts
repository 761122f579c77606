/**
 * The statements of the published API contract, in their order, each checked by a client that was written from them alone.
 * Statements that leave something open ("not shown") are left out; everything else that can be tested is here.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { scopes } from '../server/src/keys/scopes.ts'
import { type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { createFirstOwner, createInvitedMember } from '../testing/harness/people.ts'
import { addScriptedModel } from '../testing/harness/scripted-model.ts'
import { findInvalidJobFields, findInvalidViewsFields } from './api-contract/field-checks.ts'
import { createPlainClient, isOk, type PlainClient, type PlainResponse } from './api-contract/plain-client.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'Every statement of the published API contract holds for a client written from that text alone'

/** Logs a statement of the contract and checks that it holds. */
type CheckStatement = (statement: string, holds: boolean, observed?: unknown) => void

interface Fixture {
  statement: CheckStatement
  client: PlainClient
  /** For a project that no runner works for. */
  idle: PlainClient
  colophon: RunningColophon
  projectId: string
  apiKey: string
}

export async function prove(run: ProofRun): Promise<void> {
  const colophon = await startColophon(run, 'seed')
  await addScriptedModel(colophon, { name: 'scripted', format: 'anthropic-messages', isDefault: true })
  const busy = await colophon.connectProject('Busy')
  const idle = await colophon.connectProject('Idle')
  await colophon.startRunner({ COLOPHON_RUNNER_TOKEN: await colophon.createRunnerToken([busy.projectId]) })
  let statements = 0
  const statement: CheckStatement = (text, holds, observed) => {
    statements++
    run.log(`${holds ? 'holds' : 'DOES NOT HOLD'}  ${text}`)
    run.check(holds, `${text}${observed === undefined ? '' : ` (observed: ${JSON.stringify(observed).slice(0, 500)})`}`)
  }
  const apiKey = await createKeyAsOwner(statement, colophon, busy.projectId)
  const fixture: Fixture = {
    statement,
    colophon,
    apiKey,
    projectId: busy.projectId,
    client: createPlainClient(colophon.api.url, busy.projectId, apiKey),
    idle: createPlainClient(colophon.api.url, idle.projectId, idle.key),
  }
  await overview(fixture)
  await jobStatuses(fixture)
  await creatingJobs(fixture)
  await sendingMessages(fixture)
  await readingViews(fixture)
  await authenticating(fixture)
  await rateLimits(fixture)
  run.figure('statements checked', statements)
}

const text = (body: Record<string, unknown>, field: string) => String(body[field])

async function ended(client: PlainClient, id: string): Promise<{ last: PlainResponse; polls: PlainResponse[] }> {
  const polls: PlainResponse[] = []
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(200)) {
    const polled = await client.getJob(id)
    polls.push(polled)
    if (['completed', 'archived', 'failed'].includes(text(polled.body, 'status'))) return { last: polled, polls }
  }
  throw new Error(`job ${id} did not end within 120 s`)
}

/**
 * Authentication, statements 4 and 5. First, because everything else needs a key. The proof `onboarding` tests the pages
 * themselves.
 */
async function createKeyAsOwner(
  statement: CheckStatement,
  colophon: RunningColophon,
  projectId: string,
): Promise<string> {
  const first = await createFirstOwner(colophon.api.url, colophon)
  const owner = await createInvitedMember(colophon.api.url, first, {
    projectId,
    role: 'owner',
    email: 'contract-owner@example.com',
  })
  const { projects } = await owner.client.projects.list()
  const [project] = projects
  statement(
    'The `projectId` path value can be copied from that same API keys page.',
    project?.id === projectId,
    projects,
  )
  const { secret } = await owner.client.keys.create(projectId, { name: 'admin', scopes: [...scopes] })
  statement("A key is generated on the API keys page of the project's dashboard.", secret.length > 20)
  return secret
}

async function overview({ statement, client, colophon, projectId, apiKey }: Fixture): Promise<void> {
  const created = await client.createJob({ prompt: 'Say hello in docs/index.md' })
  statement('A caller creates a background agent job from a text instruction (`prompt`).', isOk(created), created)
  const id = text(created.body, 'id')
  statement('The job runs asynchronously.', created.body.status === 'active' && created.body.prLink === null, created)
  const { last, polls } = await ended(client, id)
  const prLink = text(last.body, 'prLink')
  const { gitea } = colophon.addresses
  const onGitea = new URL(prLink).pathname
  const pullRequest = await fetch(`${gitea.url}/api/v1/repos${onGitea}`, {
    headers: { Authorization: `token ${gitea.adminToken}` },
  }).then((response) => response.status)
  statement(
    'If the agent changes files, a pull request in a code hosting service is created automatically, and its URL appears in `prLink`.',
    last.body.status === 'completed' && pullRequest === 200,
    last,
  )
  const message = await client.sendMessage(id, { prompt: 'Say goodbye in docs/index.md as well' })
  statement('A caller can send follow-up instructions to an existing job.', isOk(message), message)
  const again = await ended(client, id)
  statement(
    'Progress is followed by polling the job until its status is `completed`, `archived` or `failed`.',
    again.last.body.status === 'completed' && again.last.body.prLink === prLink,
    again.last,
  )
  const all = [created, ...polls, message, ...again.polls]
  statement(
    'While the status is `active`, `prLink` is null.',
    all.every(({ body }) => body.status !== 'active' || body.prLink === null),
  )
  const other = await colophon.createProject('Other')
  const otherClient = createPlainClient(colophon.api.url, other.projectId, apiKey)
  const responses = [
    await otherClient.getJob(id),
    await otherClient.getViews(),
    await otherClient.createJob({ prompt: 'x' }),
  ]
  statement(
    'All endpoints are scoped by a project, identified by the path parameter `projectId`.',
    responses.every(({ status }) => status === 404) && projectId !== other.projectId,
    responses,
  )
  statement(
    'Request bodies are JSON. Responses are JSON.',
    all.every(({ contentType }) => contentType.startsWith('application/json')),
  )
  const wrong = all.flatMap(({ body }) => findInvalidJobFields(body))
  statement(
    'Agent job: `id`, `status`, `source.repository`, `source.ref`, `model`, `prLink`, `createdAt`, `archivedAt`.',
    wrong.length === 0,
    wrong,
  )
}

async function jobStatuses({ statement, client, colophon, projectId, apiKey }: Fixture): Promise<void> {
  const runScript = async (script: string) => {
    const created = await client.createJob({ prompt: `As you like.\n\nscript: ${script}` })
    return (await ended(client, text(created.body, 'id'))).last
  }
  const active = await client.createJob({ prompt: 'Say more in docs/index.md' })
  statement('`active`: the agent is currently processing the instruction.', active.body.status === 'active', active)
  const unchanged = await runScript('answer')
  statement(
    '`completed`: the agent finished successfully. `prLink` is null if no file was changed.',
    unchanged.body.status === 'completed' && unchanged.body.prLink === null,
    unchanged,
  )
  const failed = await runScript('key-refused')
  statement('`failed`: the agent met an unrecoverable error.', failed.body.status === 'failed', failed)
  const { last: done } = await ended(client, text(active.body, 'id'))
  statement('`prLink` is filled once the agent has created a pull request.', typeof done.body.prLink === 'string', done)
  const archive = `${colophon.api.url}/v2/agent/${projectId}/job/${text(done.body, 'id')}/archive`
  await fetch(archive, { method: 'POST', headers: { Authorization: `Bearer ${apiKey}` } })
  const archived = await client.getJob(text(done.body, 'id'))
  statement(
    '`archived`: the job has been archived. `archivedAt` is the time the job was archived.',
    archived.body.status === 'archived' &&
      Math.abs(Date.parse(text(archived.body, 'archivedAt')) - Date.now()) < 60_000 &&
      findInvalidJobFields(archived.body).length === 0,
    archived,
  )
  statement('`createdAt`: time the job was created.', Date.parse(text(done.body, 'createdAt')) < Date.now(), done)
}

async function creatingJobs({ statement, idle }: Fixture): Promise<void> {
  const empty = await idle.createJob({ prompt: '' })
  const missing = await idle.createJob({})
  const shortest = await idle.createJob({ prompt: 'x' })
  statement(
    '`POST {base_url}/v2/agent/{projectId}/job` takes `prompt`, string, required, minimum length 1.',
    empty.status === 400 && missing.status === 400 && isOk(shortest),
    [empty, missing, shortest],
  )
  statement('Response on success: an Agent job object.', findInvalidJobFields(shortest.body).length === 0, shortest)
}

async function sendingMessages({ statement, idle }: Fixture): Promise<void> {
  const { body } = await idle.createJob({ prompt: 'Begin.' })
  const id = text(body, 'id')
  const empty = await idle.sendMessage(id, { prompt: '' })
  const missing = await idle.sendMessage(id, {})
  const shortest = await idle.sendMessage(id, { prompt: 'x' })
  const unknownJob = await idle.sendMessage('none', { prompt: 'x' })
  statement(
    '`POST {base_url}/v2/agent/{projectId}/job/{id}/message` takes `prompt`, string, required, minimum length 1.',
    empty.status === 400 && missing.status === 400 && isOk(shortest),
    [empty, missing, shortest],
  )
  statement(
    '`id`: the unique identifier of the agent job that receives the message.',
    unknownJob.status === 404,
    unknownJob,
  )
  statement(
    'Response on success: an Agent job object. The message is processed asynchronously.',
    shortest.body.id === id && findInvalidJobFields(shortest.body).length === 0 && shortest.body.status === 'active',
    shortest,
  )
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const pages = 120

async function readingViews({ statement, client, colophon, projectId, apiKey }: Fixture): Promise<void> {
  // Page 0 has one human view on 30 March and two AI views on 31 March; page n has n % 7 + 1 human views on 10 April.
  const view = (path: string, at: string, userAgent = browser) => ({ path, at, userAgent })
  const year = new Date().getUTCFullYear() - (new Date().getUTCMonth() < 5 ? 1 : 0)
  const views = [
    view('/page-0', `${year}-03-30T23:59:59Z`),
    view('/page-0', `${year}-03-31T00:00:00Z`, 'ChatGPT-User/1.0'),
    view('/page-0', `${year}-03-31T12:00:00Z`, 'Claude-User/1.0'),
    ...Array.from({ length: pages - 1 }, (_, index) => index + 1).flatMap((page) =>
      Array.from({ length: (page % 7) + 1 }, () => view(`/page-${page}`, `${year}-04-10T08:00:00Z`)),
    ),
  ]
  // By default, human views come from the script in the browser. This project counts the views that its servers report.
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const settings = `${colophon.api.url}/v1/analytics/${projectId}/settings`
  await fetch(settings, { method: 'PATCH', headers, body: JSON.stringify({ humanSource: 'servers' }) })
  const sent = await fetch(`${colophon.api.url}/v1/ingest/${projectId}/views`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ views }),
  })
  if (!sent.ok) throw new Error(`the views were rejected: ${await sent.text()}`)
  const totalOf = ({ body }: PlainResponse) => (body.totals as { total: number }).total
  let all = await client.getViews()
  for (const until = Date.now() + 30_000; totalOf(all) < views.length && Date.now() < until; await sleep(200))
    all = await client.getViews()
  statement(
    'A caller exports page-view counts for a project.',
    isOk(all) && totalOf(all) === views.length,
    all.body.totals,
  )
  const wrong = findInvalidViewsFields(all.body)
  statement(
    'The export has site-wide totals and per-page counts, each split into human and AI traffic.',
    wrong.length === 0 && (all.body.totals as { ai: number }).ai === 2,
    wrong,
  )
  const rowsOf = ({ body }: PlainResponse) => body.views as { path: string; total: number }[]
  const march = await client.getViews({ dateFrom: `${year}-03-30`, dateTo: `${year}-03-31` })
  statement(
    '`dateTo`: exclusive upper limit: results include dates before the given date, not the date itself.',
    totalOf(march) === 1 && rowsOf(march).length === 1,
    march,
  )
  const second = await client.getViews({ dateFrom: `${year}-03-31T00:00:00Z`, dateTo: `${year}-03-31T12:00:01Z` })
  statement('`dateFrom`, `dateTo`: date in ISO 8601 or `YYYY-MM-DD` format.', totalOf(second) === 2, second)
  const fromOnly = await client.getViews({ dateFrom: `${year}-04-01` })
  const toOnly = await client.getViews({ dateTo: `${year}-04-01` })
  statement('Query parameters (all optional).', totalOf(fromOnly) === views.length - 3 && totalOf(toOnly) === 3, [
    toOnly,
  ])
  statement('`limit`: default 50. `offset`: default 0.', rowsOf(all).length === 50, rowsOf(all).length)
  const limited = await Promise.all([0, 1, 250, 251].map((limit) => client.getViews({ limit })))
  statement(
    '`limit`: maximum results per page; range 1 to 250 inclusive.',
    limited.map(({ status }) => status).join() === '400,200,200,400' &&
      rowsOf(limited[1] as PlainResponse).length === 1 &&
      rowsOf(limited[2] as PlainResponse).length === pages,
    limited.map(({ status }) => status),
  )
  const negative = await client.getViews({ offset: -1 })
  statement('`offset`: number of rows to skip; at least 0.', negative.status === 400, negative)
  const listedPaths: string[] = []
  let offset = 0
  let hasMore = true
  for (const limit = 50; hasMore; offset += limit) {
    const page = await client.getViews({ limit, offset })
    listedPaths.push(...rowsOf(page).map(({ path }) => path))
    hasMore = page.body.hasMore === true
    if (totalOf(page) !== views.length) throw new Error('totals cover the result page, not the whole range')
  }
  statement(
    'While `hasMore` is true, the next page is requested by raising `offset` by `limit`.',
    listedPaths.length === pages && new Set(listedPaths).size === pages,
    listedPaths.length,
  )
  const third = await client.getViews({ limit: 20, offset: (3 - 1) * 20 })
  statement(
    'For page-based access, `offset = (page - 1) * limit`.',
    rowsOf(third)
      .map(({ path }) => path)
      .join() === listedPaths.slice(40, 60).join(),
  )
}

async function authenticating({ statement, colophon, projectId, apiKey }: Fixture): Promise<void> {
  const { url } = colophon.api
  const responses = await Promise.all(
    [undefined, `${apiKey.slice(0, -1)}?`].flatMap((key) => {
      const client = createPlainClient(url, projectId, key)
      return [client.createJob({ prompt: 'x' }), client.sendMessage('x', { prompt: 'x' }), client.getViews()]
    }),
  )
  statement(
    'Every endpoint uses the HTTP header `Authorization` with a Bearer token: `Authorization: Bearer <API_KEY>`.',
    responses.every(({ status }) => status === 401),
    responses.map(({ status }) => status),
  )
  const another = await colophon.createProject('Prefix')
  const unversioned = await Promise.all(
    [`/agent/${projectId}/job/x`, `/v1/agent/${projectId}/job/x`, `/v2/analytics/${projectId}/views`].map(
      async (path) => (await fetch(url + path, { headers: { Authorization: `Bearer ${apiKey}` } })).status,
    ),
  )
  statement(
    'The token is an admin API key. It carries a fixed service-specific prefix followed by the secret part.',
    apiKey.startsWith('colophon_') && another.key.startsWith('colophon_') && apiKey !== another.key,
  )
  statement(
    'The version is part of the path. Agent job endpoints use the `/v2/` prefix. The analytics endpoint uses the `/v1/` prefix.',
    unversioned.every((status) => status === 404),
    unversioned,
  )
}

async function rateLimits({ statement, colophon }: Fixture): Promise<void> {
  const fresh = await colophon.connectProject('Limited')
  const client = createPlainClient(colophon.api.url, fresh.projectId, fresh.key)
  const jobs = []
  for (let index = 0; index < 101; index++) jobs.push(await client.createJob({ prompt: `Number ${index}.` }))
  statement(
    'Create an agent job: 100 uses per project per hour.',
    jobs.slice(0, 100).every(isOk) && jobs[100]?.status === 429,
    jobs[100],
  )
  const messages = []
  for (let index = 0; index < 101; index++)
    messages.push(await client.sendMessage(text(jobs[index % 10]?.body ?? {}, 'id'), { prompt: 'More.' }))
  statement(
    'Send a follow-up message: 100 uses per project per hour.',
    messages.slice(0, 100).every(isOk) && messages[100]?.status === 429,
    messages[100],
  )
}
