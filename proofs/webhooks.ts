/**
 * Jobs end, open pull requests, are merged and archived, while `api` and `worker` are killed at random. Their events go to receivers that
 * are healthy, slow, unreliable, huge, silent, redirecting, gone, at internal addresses, and at names whose address changes between the
 * check and the call.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '../sdk/src/index.ts'
import { startDnsServer } from '../server/src/platform/egress/testing/dns-server.ts'
import { examplePublicAddress } from '../server/src/platform/egress/testing/internal-hosts.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { createQueuedTurn } from '../testing/harness/claimed-turn.ts'
import { type Colophon, type ProjectWithKey, prepareColophon } from '../testing/harness/colophon.ts'
import { hasRow } from '../testing/harness/has-row.ts'
import { createHourlyLimitReset } from '../testing/harness/hourly-limit-reset.ts'
import { type KillTarget, ProcessKiller } from '../testing/harness/process-killer.ts'
import { type Replica, RetryingClient } from '../testing/harness/retrying-client.ts'
import { type ProofRun, seededRandom } from './proof.ts'
import { type ReceivedRequest, type RunningReceivers, receivers, startReceivers } from './webhooks/receivers.ts'

export const guarantee =
  'Every event of a project reaches each endpoint that works, at least once, signed and in order per job, and an endpoint that does not work delays no other'

const sizes = {
  ci: { jobs: 25, kills: 3, settleSeconds: 120 },
  stated: { jobs: 250, kills: 12, settleSeconds: 400 },
  full: { jobs: 2_500, kills: 100, settleSeconds: 1_200 },
} as const
const eventsPerJob = 4
const jobsAtOnce = 4

const events = ['job.completed', 'job.archived', 'job.pull_request.opened', 'job.pull_request.merged'] as const

/** How long a healthy endpoint may wait for an event while others do not respond, and no process is killed. */
const maxHealthySeconds = 5

interface Setup {
  run: ProofRun
  colophon: Colophon
  project: ProjectWithKey
  received: RunningReceivers
  /** By the name of the receiver, or of the address that must never be called. */
  endpointIds: ReadonlyMap<string, string>
  client: RetryingClient
  apiUrl: string
}

export async function prove(run: ProofRun): Promise<void> {
  const received = await startReceivers(seededRandom(run.seed + 1))
  run.cleanUp(received.stop)
  const { dns, stop } = await startDnsServer(createZone())
  run.cleanUp(stop)
  const [dnsServer = ''] = dns.getServers()
  const colophon = await prepareColophon(run, 'webhooks')
  const settings = {
    COLOPHON_EGRESS_ALLOWED_HOSTS: `127.0.0.1:${received.port}`,
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'webhooks/worker-preload.ts')}`,
    PROOF_DNS_SERVER: dnsServer,
  }
  const killer = new ProcessKiller(seededRandom(run.seed + 2))
  const replicas: Replica[] = []
  const targets: KillTarget[] = []
  for (let number = 1; number <= 2; number++) {
    const api = await colophon.prepare('api')
    const worker = await colophon.prepare('worker', settings)
    const replica = { url: api.url, openWrites: 0 }
    replicas.push(replica)
    targets.push({ kind: 'api', process: api.process, hasWorkInFlight: () => replica.openWrites > 0 })
    targets.push({
      kind: 'worker',
      process: worker.process,
      hasWorkInFlight: () => hasRow(colophon.postgresUrl, openCalls),
    })
  }
  await Promise.all(targets.map((target) => killer.start(target)))
  const project = await colophon.createProject('Handbook')
  const apiUrl = replicas[0]?.url ?? ''
  const setup: Setup = {
    run,
    colophon,
    project,
    received,
    endpointIds: await createEndpoints(apiUrl, project, received),
    client: new RetryingClient(replicas, AbortSignal.timeout(1_800_000)),
    apiUrl,
  }
  run.log(`${setup.endpointIds.size} endpoints, 4 processes to kill`)

  const stopKilling = new AbortController()
  const killing = killer.killInRounds(targets, () => sleep(1_500 + 3_000 * run.random()), stopKilling.signal)
  await produceEvents(setup, sizes[run.size].jobs)
  while (killer.count < sizes[run.size].kills) await sleep(200)
  stopKilling.abort()
  await killing
  run.log(
    `all events happened; ${killer.count} kills, ${killer.inFlightCount} with a call in flight; everything is up again`,
  )
  await waitUntilDelivered(setup)

  await checkDelivered(setup)
  await checkRejected(setup)
  await checkLog(setup)
  await checkDelayOfHealthy(setup)
  run.check(
    killer.unexpectedExits.length === 0,
    `api and worker never exit by themselves: ${killer.unexpectedExits.join(', ')}`,
  )
  const killsByKind = [...killer.kills].map(([kind, count]) => `${kind} ${count}`).sort()
  run.figure('kills', `${killer.count} (${killsByKind.join(', ')}), ${killer.inFlightCount} with a call in flight`)
}

/** A request to a receiver is in flight. */
const openCalls = "SELECT FROM endpoint_attempt WHERE duration_ms IS NULL AND started_at > now() - interval '5 seconds'"

/** `rebinding.example` is public when it is checked, and internal when it is resolved again. */
function createZone() {
  let queries = 0
  return (name: string, family: 4 | 6): string[] => {
    if (family === 6) return []
    if (name === 'internal.example') return ['127.0.0.1']
    if (name === 'rebinding.example') return [queries++ % 2 === 0 ? examplePublicAddress : '127.0.0.1']
    return []
  }
}

async function createEndpoints(
  apiUrl: string,
  { projectId, key }: ProjectWithKey,
  { port, setSecret }: RunningReceivers,
): Promise<Map<string, string>> {
  const client = createClient({ baseUrl: apiUrl, apiKey: key })
  const targets = [
    ...receivers.map(({ name }) => ({ name, target: `http://127.0.0.1:${port}/${name}` })),
    { name: 'dead', target: 'http://127.0.0.1:1/' },
    { name: 'internal', target: `http://127.0.0.2:${port}/internal` },
    { name: 'internal-name', target: `https://internal.example:${port}/internal` },
    { name: 'rebinding', target: `https://rebinding.example:${port}/rebinding` },
  ]
  const ids = new Map<string, string>()
  for (const { name, target } of targets) {
    const body = { kind: 'webhook' as const, name, target, events: [...events], maxPerSecond: 100 }
    const { endpoint, secret } = await client.webhooks.create(projectId, body)
    setSecret(name, secret ?? '')
    ids.set(name, endpoint.id)
  }
  return ids
}

/** Each job completes with a pull request, which is merged, and is archived through `api`. */
async function produceEvents({ run, colophon, project, client }: Setup, jobs: number): Promise<void> {
  const resetHourlyLimits = createHourlyLimitReset(colophon)
  let started = 0
  const produce = async () => {
    while (started < jobs) {
      started += 1
      const number = started
      if (number % 50 === 0) {
        await resetHourlyLimits()
        run.log(`${number} of ${jobs} jobs`)
      }
      const jobId = await completeJob(colophon, project.projectId, number)
      await colophon.stores.pullRequests.recordState(
        { projectId: project.projectId, jobId, number },
        { state: 'merged', hasConflicts: null },
      )
      const path = `/v2/agent/${project.projectId}/job/${jobId}/archive`
      const { status } = await client.sendJson({ method: 'POST', path, key: project.key })
      run.check(status === 200, `a job is archived: ${status}`)
    }
  }
  await Promise.all(Array.from({ length: jobsAtOnce }, produce))
}

async function completeJob(colophon: Colophon, projectId: Id<'prj'>, number: number): Promise<Id<'job'>> {
  const { jobId, turnId } = await createQueuedTurn(colophon, projectId, 'test-model')
  const url = `https://git.example.com/docs/site/pulls/${number}`
  await colophon.stores.turns.finish(turnId, {
    outcome: 'pull_request',
    reply: null,
    title: `Job ${number}: <!channel> "quoted" \u202e 🎉`,
    checks: [],
    pullRequest: {
      number,
      url,
      branch: `colophon/${number}`,
      state: 'open',
      written: { title: '', body: '' },
      commit: undefined,
    },
  })
  return jobId
}

const working = receivers.filter(({ accepts }) => accepts).map(({ name }) => name)

async function waitUntilDelivered({ run, colophon, endpointIds }: Setup): Promise<void> {
  const ids = working.map((name) => endpointIds.get(name))
  const deadline = Date.now() + sizes[run.size].settleSeconds * 1000
  const countPending = async () => {
    const { rows } = await colophon.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM endpoint_delivery WHERE status = 'pending' AND endpoint_id = ANY ($1)`,
      [ids],
    )
    return rows[0]?.count ?? 0
  }
  let pending = await countPending()
  for (let rounds = 0; pending > 0 && Date.now() < deadline; rounds++) {
    if (rounds % 20 === 0) run.log(`${pending} deliveries to endpoints that work are pending`)
    await sleep(500)
    pending = await countPending()
  }
  run.check(
    pending === 0,
    `after the last kill, everything is delivered within ${sizes[run.size].settleSeconds} s: ${pending} are not`,
  )
}

interface EventRow {
  id: string
  type: string
  job_id: string
  sequence: number
}

async function readEvents({ colophon, endpointIds }: Setup, receiver: string): Promise<EventRow[]> {
  const { rows } = await colophon.pool.query<EventRow>(
    `SELECT webhook_event.id, type, job_id, sequence::int FROM endpoint_delivery JOIN webhook_event ON webhook_event.id = event_id
     WHERE endpoint_id = $1 ORDER BY sequence`,
    [endpointIds.get(receiver)],
  )
  return rows
}

async function checkDelivered(setup: Setup): Promise<void> {
  const { run, received } = setup
  const expected = sizes[run.size].jobs * eventsPerJob
  let requestCount = 0
  for (const receiver of working) {
    const recorded = await readEvents(setup, receiver)
    const requests = received.requests.filter((request) => request.receiver === receiver)
    requestCount += requests.length
    const firstById = new Map<string, ReceivedRequest>()
    for (const request of requests) if (!firstById.has(request.id)) firstById.set(request.id, request)
    run.check(recorded.length === expected, `each change of a job is one event: ${recorded.length} of ${expected}`)
    const missing = recorded.filter(({ id }) => !firstById.has(id))
    run.check(
      missing.length === 0,
      `each event reaches the receiver ${receiver}: ${missing.length} of ${recorded.length} do not`,
    )
    run.check(
      requests.every(({ isAuthentic }) => isAuthentic),
      `the reference library verifies each request to ${receiver}: ${requests.filter(({ isAuthentic }) => !isAuthentic).length} not`,
    )
    const changed = requests.filter(({ id, body }) => firstById.get(id)?.body !== body)
    run.check(
      changed.length === 0,
      `an ID stands for one event, and a repeated request is the same (${receiver}): ${changed.length} differ`,
    )
    const misplaced = countMisplaced(recorded, [...firstById.keys()])
    run.check(misplaced === 0, `the events of a job reach ${receiver} in order: ${misplaced} jobs do not`)
  }
  const recorded = await readEvents(setup, 'healthy')
  run.check(new Set(recorded.map(({ id }) => id)).size === recorded.length, 'the IDs of events are unique')
  run.figure('events, and endpoints that get them', `${recorded.length} and ${working.length}`)
  run.figure('requests that repeat an event', `${requestCount - recorded.length * working.length} of ${requestCount}`)
}

/** Jobs whose events arrived for the first time in another order than they happened. */
function countMisplaced(recorded: readonly EventRow[], arrivedIds: readonly string[]): number {
  const arrival = new Map(arrivedIds.map((id, index) => [id, index]))
  const byJob = Map.groupBy(recorded, (event) => event.job_id)
  return [...byJob.values()].filter((jobEvents) =>
    jobEvents.some((event, index) => {
      const next = jobEvents[index + 1]
      return next && (arrival.get(event.id) ?? 0) > (arrival.get(next.id) ?? 0)
    }),
  ).length
}

async function checkRejected({ run, colophon, project, received, apiUrl, endpointIds }: Setup): Promise<void> {
  run.check(
    received.strayRequests.length === 0,
    `no redirect is followed, and no internal address is called: ${received.strayRequests.slice(0, 3).join(', ')}`,
  )
  const client = createClient({ baseUrl: apiUrl, apiKey: project.key })
  const { endpoints } = await client.webhooks.list(project.projectId)
  const gone = endpoints.find(({ id }) => id === endpointIds.get('gone'))
  run.check(gone?.disabledReason === 'gone', `an endpoint that responds with 410 is disabled: ${gone?.disabledReason}`)
  const goneCalls = received.requests.filter(({ receiver }) => receiver === 'gone').length
  run.check(goneCalls >= 1 && goneCalls <= 10, `it is not called again: ${goneCalls} calls`)
  for (const name of ['redirecting', 'internal', 'internal-name', 'rebinding', 'dead', 'silent']) {
    const { rows } = await colophon.pool.query<{ tried: number; ended: number }>(
      `SELECT count(*) FILTER (WHERE attempts > 0)::int AS tried, count(*) FILTER (WHERE status <> 'pending')::int AS ended
       FROM endpoint_delivery WHERE endpoint_id = $1`,
      [endpointIds.get(name)],
    )
    run.check((rows[0]?.tried ?? 0) > 0, `the endpoint ${name} was tried: ${rows[0]?.tried}`)
    run.check(rows[0]?.ended === 0, `nothing is lost or counted as delivered to ${name}: ${rows[0]?.ended}`)
  }
  const silentCalls = received.requests.filter(({ receiver }) => receiver === 'silent').length
  run.figure('calls to the endpoint that never responds', silentCalls)
}

/** Everything that a receiver got is in the log, with what it responded. */
async function checkLog({ run, project, received, apiUrl, endpointIds }: Setup): Promise<void> {
  const client = createClient({ baseUrl: apiUrl, apiKey: project.key })
  const attemptsByEvent = new Map<string, number>()
  let withoutSuccess = 0
  let otherPayloads = 0
  const sampled = sizes[run.size].jobs * eventsPerJob > 200 ? 10 : 1
  let read = 0
  for (const receiver of working) {
    const endpointId = endpointIds.get(receiver) ?? ''
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client.webhooks.listDeliveries(project.projectId, endpointId, {
        limit: 250,
        ...(cursor !== undefined && { cursor }),
      })
      for (const delivery of page.deliveries) {
        attemptsByEvent.set(`${receiver} ${delivery.eventId}`, delivery.attempts)
        read += 1
        if (read % sampled !== 0) continue
        const { payload, attempts } = await client.webhooks.getDelivery(project.projectId, endpointId, delivery.id)
        const isSent = received.requests.some((request) => request.id === delivery.eventId && request.body === payload)
        if (!isSent) otherPayloads += 1
        const last = attempts.at(-1)
        const isSuccess = last?.error === null && last.responseStatus !== null && last.responseStatus < 300
        if (!isSuccess || attempts.length !== delivery.attempts) withoutSuccess += 1
      }
      cursor = page.nextCursor
    }
  }
  const requestsByEvent = Map.groupBy(
    received.requests.filter(({ receiver }) => working.includes(receiver)),
    ({ receiver, id }) => `${receiver} ${id}`,
  )
  const notLogged = [...requestsByEvent].filter(([key, requests]) => (attemptsByEvent.get(key) ?? 0) < requests.length)
  run.check(
    notLogged.length === 0,
    `the log has every request that a receiver got: ${notLogged.length} events have more`,
  )
  run.check(otherPayloads === 0, `the log has the payload that was sent: ${otherPayloads} differ`)
  run.check(withoutSuccess === 0, `the last attempt of a delivery is its success: ${withoutSuccess} are not`)
  run.figure('deliveries in the log', read)
}

/** Endpoints that are silent, dead and slow have waiting events by now. */
async function checkDelayOfHealthy(setup: Setup): Promise<void> {
  const { run, colophon, project, received } = setup
  const before = received.requests.length
  const count = { ci: 5, stated: 20, full: 50 }[run.size]
  for (let index = 1; index <= count; index++) {
    await completeJob(colophon, project.projectId, 1_000_000 + index)
    await sleep(200)
  }
  const { rows } = await colophon.pool.query<{ id: string; at: Date }>(
    `SELECT id, at FROM webhook_event WHERE job_id IN (SELECT id FROM job WHERE pull_request_number > 1000000)`,
  )
  const findArrival = (id: string) =>
    received.requests.slice(before).find((request) => request.receiver === 'healthy' && request.id === id)
  const deadline = Date.now() + 60_000
  while (rows.some(({ id }) => !findArrival(id)) && Date.now() < deadline) await sleep(100)
  const seconds = rows.map(({ id, at }) => ((findArrival(id)?.atMs ?? Number.POSITIVE_INFINITY) - at.getTime()) / 1000)
  const slowest = Math.max(...seconds)
  run.check(
    Number.isFinite(slowest),
    `events reach a healthy endpoint while others are dead: ${seconds.filter((value) => !Number.isFinite(value)).length} do not`,
  )
  run.figure('slowest event to a healthy endpoint, beside 6 that do not work', `${slowest.toFixed(1)} s`, {
    goal: `≤ ${maxHealthySeconds} s`,
    isMet: slowest <= maxHealthySeconds,
  })
}
