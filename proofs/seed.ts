/**
 * The sentences of the first description of this API, in their order, each tried by a client that was written from them
 * alone. What they leave open ("not shown") is not here; everything else that can be tried is.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { makeProject, runColophon } from '../dev-services/colophon.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { type AgentService, agentService } from './kit/agents/agent-service.ts'
import { firstOwner, invited } from './kit/people.ts'
import { isOk, type PlainClient, type PlainResponse, plainClient } from './kit/seed/plain-client.ts'
import { wrongJobFields, wrongViewsFields } from './kit/seed/shapes.ts'
import type { ProofRun } from './proof.ts'

export const promise =
  'Every sentence of the first description of the API holds, for a client written from those sentences alone'

/** Announces a sentence, then holds it. */
type Sentence = (text: string, holds: boolean, seen?: unknown) => void

interface Stage {
  sentence: Sentence
  client: PlainClient
  /** Of a project whose jobs nobody works on. */
  idle: PlainClient
  service: AgentService
  projectId: string
  apiKey: string
}

export async function prove(run: ProofRun): Promise<void> {
  const service = await agentService(run, 'seed')
  await service.addModel({ name: 'scripted', format: 'anthropic-messages', isDefault: true })
  const busy = await service.connectProject('Busy')
  const idle = await service.connectProject('Idle')
  const only = ['admin', 'runner', 'create', '--name', 'busy', '--projects', busy.projectId]
  await service.startRunner({ COLOPHON_RUNNER_TOKEN: await runColophon(only, service) })
  let sentences = 0
  const sentence: Sentence = (text, holds, seen) => {
    sentences++
    run.say(`${holds ? 'holds' : 'DOES NOT HOLD'}  ${text}`)
    run.check(holds, `${text}${seen === undefined ? '' : ` (seen: ${JSON.stringify(seen).slice(0, 500)})`}`)
  }
  const apiKey = await keyFromDashboard(sentence, service, busy.projectId)
  const stage: Stage = {
    sentence,
    service,
    apiKey,
    projectId: busy.projectId,
    client: plainClient(service.api.url, busy.projectId, apiKey),
    idle: plainClient(service.api.url, idle.projectId, idle.key),
  }
  await whatTheServiceDoes(stage)
  await statesOfJobs(stage)
  await creating(stage)
  await messaging(stage)
  await readingViews(stage)
  await authenticating(stage)
  await limits(stage)
  run.figure('sentences', sentences)
}

const text = (body: Record<string, unknown>, field: string) => String(body[field])

async function ended(client: PlainClient, id: string): Promise<{ last: PlainResponse; polls: PlainResponse[] }> {
  const polls: PlainResponse[] = []
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(200)) {
    const polled = await client.getJob(id)
    polls.push(polled)
    if (['completed', 'archived', 'failed'].includes(text(polled.body, 'status'))) return { last: polled, polls }
  }
  throw new Error(`the job ${id} did not end`)
}

/** Authentication 4 and 5, first: everything else needs a key. The pages themselves are the proof `first-ten-minutes`. */
async function keyFromDashboard(sentence: Sentence, service: AgentService, projectId: string): Promise<string> {
  const first = await firstOwner(service.api.url, service.environment)
  const owner = await invited(service.api.url, first, { projectId, role: 'owner', email: 'seed-owner@example.com' })
  const { projects } = await owner.client.projects.list()
  const [project] = projects
  sentence(
    'The `projectId` path value can be copied from that same API keys page.',
    project?.id === projectId,
    projects,
  )
  const { secret } = await owner.client.keys.create(projectId, { name: 'admin', scopes: [...scopes] })
  sentence("A key is generated on the API keys page of the project's dashboard.", secret.length > 20)
  return secret
}

async function whatTheServiceDoes({ sentence, client, service, projectId, apiKey }: Stage): Promise<void> {
  const created = await client.createJob({ prompt: 'Say hello in docs/index.md' })
  sentence('A caller creates a background agent job from a text instruction (`prompt`).', isOk(created), created)
  const id = text(created.body, 'id')
  sentence('The job runs asynchronously.', created.body.status === 'active' && created.body.prLink === null, created)
  const { last, polls } = await ended(client, id)
  const prLink = text(last.body, 'prLink')
  const { gitea } = service
  const onGitea = new URL(prLink).pathname
  const pullRequest = await fetch(`${gitea.url}/api/v1/repos${onGitea}`, {
    headers: { Authorization: `token ${gitea.adminToken}` },
  }).then((response) => response.status)
  sentence(
    'If the agent changes files, a pull request in a code hosting service is created automatically, and its URL appears in `prLink`.',
    last.body.status === 'completed' && pullRequest === 200,
    last,
  )
  const message = await client.sendMessage(id, { prompt: 'Say goodbye in docs/index.md as well' })
  sentence('A caller can send follow-up instructions to an existing job.', isOk(message), message)
  const again = await ended(client, id)
  sentence(
    'Progress is followed by polling the job until its status is `completed`, `archived` or `failed`.',
    again.last.body.status === 'completed' && again.last.body.prLink === prLink,
    again.last,
  )
  const all = [created, ...polls, message, ...again.polls]
  sentence(
    'While the status is `active`, `prLink` is null.',
    all.every(({ body }) => body.status !== 'active' || body.prLink === null),
  )
  const other = await makeProject(service.environment, 'Other')
  const elsewhere = plainClient(service.api.url, other.projectId, apiKey)
  const strangers = [await elsewhere.getJob(id), await elsewhere.getViews(), await elsewhere.createJob({ prompt: 'x' })]
  sentence(
    'All endpoints are scoped by a project, identified by the path parameter `projectId`.',
    strangers.every(({ status }) => status === 404) && projectId !== other.projectId,
    strangers,
  )
  sentence(
    'Request bodies are JSON. Responses are JSON.',
    all.every(({ contentType }) => contentType.startsWith('application/json')),
  )
  const wrong = all.flatMap(({ body }) => wrongJobFields(body))
  sentence(
    'Agent job: `id`, `status`, `source.repository`, `source.ref`, `model`, `prLink`, `createdAt`, `archivedAt`.',
    wrong.length === 0,
    wrong,
  )
}

async function statesOfJobs({ sentence, client, service, projectId, apiKey }: Stage): Promise<void> {
  const play = async (script: string) => {
    const created = await client.createJob({ prompt: `As you like.\n\nscript: ${script}` })
    return (await ended(client, text(created.body, 'id'))).last
  }
  const active = await client.createJob({ prompt: 'Say more in docs/index.md' })
  sentence('`active`: the agent is currently processing the instruction.', active.body.status === 'active', active)
  const unchanged = await play('answer')
  sentence(
    '`completed`: the agent finished successfully. `prLink` is null if no file was changed.',
    unchanged.body.status === 'completed' && unchanged.body.prLink === null,
    unchanged,
  )
  const failed = await play('key-refused')
  sentence('`failed`: the agent met an unrecoverable error.', failed.body.status === 'failed', failed)
  const { last: done } = await ended(client, text(active.body, 'id'))
  sentence('`prLink` is filled once the agent has created a pull request.', typeof done.body.prLink === 'string', done)
  const archive = `${service.api.url}/v2/agent/${projectId}/job/${text(done.body, 'id')}/archive`
  await fetch(archive, { method: 'POST', headers: { Authorization: `Bearer ${apiKey}` } })
  const archived = await client.getJob(text(done.body, 'id'))
  sentence(
    '`archived`: the job has been archived. `archivedAt` is the time the job was archived.',
    archived.body.status === 'archived' &&
      Math.abs(Date.parse(text(archived.body, 'archivedAt')) - Date.now()) < 60_000 &&
      wrongJobFields(archived.body).length === 0,
    archived,
  )
  sentence('`createdAt`: time the job was created.', Date.parse(text(done.body, 'createdAt')) < Date.now(), done)
}

async function creating({ sentence, idle }: Stage): Promise<void> {
  const empty = await idle.createJob({ prompt: '' })
  const missing = await idle.createJob({})
  const shortest = await idle.createJob({ prompt: 'x' })
  sentence(
    '`POST {base_url}/v2/agent/{projectId}/job` takes `prompt`, string, required, minimum length 1.',
    empty.status === 400 && missing.status === 400 && isOk(shortest),
    [empty, missing, shortest],
  )
  sentence('Response on success: an Agent job object.', wrongJobFields(shortest.body).length === 0, shortest)
}

async function messaging({ sentence, idle }: Stage): Promise<void> {
  const { body } = await idle.createJob({ prompt: 'Begin.' })
  const id = text(body, 'id')
  const empty = await idle.sendMessage(id, { prompt: '' })
  const missing = await idle.sendMessage(id, {})
  const shortest = await idle.sendMessage(id, { prompt: 'x' })
  const nobodys = await idle.sendMessage('none', { prompt: 'x' })
  sentence(
    '`POST {base_url}/v2/agent/{projectId}/job/{id}/message` takes `prompt`, string, required, minimum length 1.',
    empty.status === 400 && missing.status === 400 && isOk(shortest),
    [empty, missing, shortest],
  )
  sentence('`id`: the unique identifier of the agent job that receives the message.', nobodys.status === 404, nobodys)
  sentence(
    'Response on success: an Agent job object. The message is processed asynchronously.',
    shortest.body.id === id && wrongJobFields(shortest.body).length === 0 && shortest.body.status === 'active',
    shortest,
  )
}

const browser = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const pages = 120

async function readingViews({ sentence, client, service, projectId, apiKey }: Stage): Promise<void> {
  // Page 0 on the last days of March, the others on 10 April; page n has n % 7 + 1 people, page 0 also two AIs.
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
  // Where nothing else is said people are counted by the script in their browsers; this project counts them by its servers.
  const headers = { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' }
  const settings = `${service.api.url}/v1/analytics/${projectId}/settings`
  await fetch(settings, { method: 'PATCH', headers, body: JSON.stringify({ humanSource: 'servers' }) })
  const sent = await fetch(`${service.api.url}/v1/ingest/${projectId}/views`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ views }),
  })
  if (!sent.ok) throw new Error(`the views were not taken: ${await sent.text()}`)
  const totalOf = ({ body }: PlainResponse) => (body.totals as { total: number }).total
  let all = await client.getViews()
  for (const until = Date.now() + 30_000; totalOf(all) < views.length && Date.now() < until; await sleep(200))
    all = await client.getViews()
  sentence(
    'A caller exports page-view counts for a project.',
    isOk(all) && totalOf(all) === views.length,
    all.body.totals,
  )
  const wrong = wrongViewsFields(all.body)
  sentence(
    'The export has site-wide totals and per-page counts, each split into human and AI traffic.',
    wrong.length === 0 && (all.body.totals as { ai: number }).ai === 2,
    wrong,
  )
  const rowsOf = ({ body }: PlainResponse) => body.views as { path: string; total: number }[]
  const march = await client.getViews({ dateFrom: `${year}-03-30`, dateTo: `${year}-03-31` })
  sentence(
    '`dateTo`: exclusive upper limit: results include dates before the given date, not the date itself.',
    totalOf(march) === 1 && rowsOf(march).length === 1,
    march,
  )
  const second = await client.getViews({ dateFrom: `${year}-03-31T00:00:00Z`, dateTo: `${year}-03-31T12:00:01Z` })
  sentence('`dateFrom`, `dateTo`: date in ISO 8601 or `YYYY-MM-DD` format.', totalOf(second) === 2, second)
  const fromOnly = await client.getViews({ dateFrom: `${year}-04-01` })
  const toOnly = await client.getViews({ dateTo: `${year}-04-01` })
  sentence('Query parameters (all optional).', totalOf(fromOnly) === views.length - 3 && totalOf(toOnly) === 3, [
    toOnly,
  ])
  sentence('`limit`: default 50. `offset`: default 0.', rowsOf(all).length === 50, rowsOf(all).length)
  const limited = await Promise.all([0, 1, 250, 251].map((limit) => client.getViews({ limit })))
  sentence(
    '`limit`: maximum results per page; range 1 to 250 inclusive.',
    limited.map(({ status }) => status).join() === '400,200,200,400' &&
      rowsOf(limited[1] as PlainResponse).length === 1 &&
      rowsOf(limited[2] as PlainResponse).length === pages,
    limited.map(({ status }) => status),
  )
  const negative = await client.getViews({ offset: -1 })
  sentence('`offset`: number of rows to skip; at least 0.', negative.status === 400, negative)
  const seen: string[] = []
  let offset = 0
  let hasMore = true
  for (const limit = 50; hasMore; offset += limit) {
    const page = await client.getViews({ limit, offset })
    seen.push(...rowsOf(page).map(({ path }) => path))
    hasMore = page.body.hasMore === true
    if (totalOf(page) !== views.length) throw new Error('totals are of the page, not of the range')
  }
  sentence(
    'While `hasMore` is true, the next page is requested by raising `offset` by `limit`.',
    seen.length === pages && new Set(seen).size === pages,
    seen.length,
  )
  const third = await client.getViews({ limit: 20, offset: (3 - 1) * 20 })
  sentence(
    'For page-based access, `offset = (page - 1) * limit`.',
    rowsOf(third)
      .map(({ path }) => path)
      .join() === seen.slice(40, 60).join(),
  )
}

async function authenticating({ sentence, service, projectId, apiKey }: Stage): Promise<void> {
  const { url } = service.api
  const responses = await Promise.all(
    [undefined, `${apiKey.slice(0, -1)}?`].flatMap((key) => {
      const client = plainClient(url, projectId, key)
      return [client.createJob({ prompt: 'x' }), client.sendMessage('x', { prompt: 'x' }), client.getViews()]
    }),
  )
  sentence(
    'Every endpoint uses the HTTP header `Authorization` with a Bearer token: `Authorization: Bearer <API_KEY>`.',
    responses.every(({ status }) => status === 401),
    responses.map(({ status }) => status),
  )
  const another = await makeProject(service.environment, 'Prefix')
  const unversioned = await Promise.all(
    [`/agent/${projectId}/job/x`, `/v1/agent/${projectId}/job/x`, `/v2/analytics/${projectId}/views`].map(
      async (path) => (await fetch(url + path, { headers: { Authorization: `Bearer ${apiKey}` } })).status,
    ),
  )
  sentence(
    'The token is an admin API key. It carries a fixed service-specific prefix followed by the secret part.',
    apiKey.startsWith('colophon_') && another.key.startsWith('colophon_') && apiKey !== another.key,
  )
  sentence(
    'The version is part of the path. Agent job endpoints use the `/v2/` prefix. The analytics endpoint uses the `/v1/` prefix.',
    unversioned.every((status) => status === 404),
    unversioned,
  )
}

async function limits({ sentence, service }: Stage): Promise<void> {
  const fresh = await service.connectProject('Limited')
  const client = plainClient(service.api.url, fresh.projectId, fresh.key)
  const jobs = []
  for (let index = 0; index < 101; index++) jobs.push(await client.createJob({ prompt: `Number ${index}.` }))
  sentence(
    'Create an agent job: 100 uses per project per hour.',
    jobs.slice(0, 100).every(isOk) && jobs[100]?.status === 429,
    jobs[100],
  )
  const messages = []
  for (let index = 0; index < 101; index++)
    messages.push(await client.sendMessage(text(jobs[index % 10]?.body ?? {}, 'id'), { prompt: 'More.' }))
  sentence(
    'Send a follow-up message: 100 uses per project per hour.',
    messages.slice(0, 100).every(isOk) && messages[100]?.status === 429,
    messages[100],
  )
}
