/**
 * npm run histories              records how jobs and deliveries run with the current workflows, as Temporal histories, in the set `next`
 * npm run histories -- VERSION   records them as those of a release, which `npm run release` does
 *
 * The histories of a release stand for what is in progress on instances during an upgrade from it, so they are never recreated. A
 * test replays all sets.
 */
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import proto from '@temporalio/proto'
import { craftCommit, createCommitBundle } from '../server/src/code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../server/src/jobs/job.ts'
import type { JobStatus } from '../server/src/jobs/job-state.ts'
import { loadCredentialCommandConfig } from '../server/src/platform/config.ts'
import type { Id } from '../server/src/platform/ids.ts'
import { createSealer } from '../server/src/platform/sealed-secrets/sealed-secret.ts'
import type { TurnReport } from '../server/src/runner-wire/runner-wire.ts'
import { connectTestRepository } from '../testing/harness/connect-test-repository.ts'
import { createTestInstance } from '../testing/harness/test-instance.ts'
import { startTestRunner } from '../testing/harness/test-runner.ts'
import { startTestWorker } from '../testing/harness/test-worker.ts'
import { findOrStartServices } from '../testing/services/running-services.ts'

const { History } = proto.temporal.api.history.v1
const directory = join(import.meta.dirname, '../server/src/workflows/histories')
const operator = { kind: 'operator' } as const
const request = { actor: operator, idempotency: undefined, present: (job: Job) => job } as const

/** The status in which the job of each story ends. Its name is also the prompt of the job. */
const stories = {
  completed: 'completed',
  'two turns': 'completed',
  cancelled: 'failed',
  'agent failed': 'failed',
  restarted: 'completed',
  refused: 'failed',
  paused: 'completed',
} as const
type Story = keyof typeof stories

/** How the first request to an endpoint is answered. After a failure, another event wakes the workflow while it waits for the retry. */
const deliveryStories = { delivered: 204, retried: 500 } as const

await using cleanup = new AsyncDisposableStack()
const services = await findOrStartServices()
cleanup.defer(services.release)
const { gitea, temporalAddress } = services.addresses
const instance = await createTestInstance(services.addresses, 'histories')
cleanup.defer(instance.drop)
const repository = await createGiteaTestRepository(gitea)
cleanup.defer(repository.remove)
const { projectId } = await instance.createProject()
await connectTestRepository(instance, projectId, repository)
let firstStatus = 204
let requests = 0
const receiver = createServer((request, response) => {
  request.resume()
  requests += 1
  response.writeHead(requests === 1 ? firstStatus : 204).end()
}).listen(0, '127.0.0.1')
await once(receiver, 'listening')
cleanup.defer(() => void receiver.close())
const receiverHost = `127.0.0.1:${(receiver.address() as AddressInfo).port}`
const jobs = await startTestWorker(instance, { COLOPHON_EGRESS_ALLOWED_WEBHOOK_HOSTS: receiverHost })
cleanup.defer(jobs.stop)

const attemptCounts = new Map<string, number>()
const runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }, signal): Promise<TurnReport> => {
  const attemptCount = (attemptCounts.get(prompt) ?? 0) + 1
  attemptCounts.set(prompt, attemptCount)
  if (prompt === 'agent failed') return { kind: 'agent_failed', message: 'as scripted' }
  while (prompt === 'cancelled' && !signal.aborted) await sleep(50)
  if (signal.aborted) return { kind: 'stopped' }
  if (prompt === 'paused') await instance.stores.pauses.pause(projectId, operator)
  const unrelatedCommit = craftCommit({ 'docs/elsewhere.md': '# Elsewhere\n' }, [])
  const base = prompt === 'restarted' && attemptCount === 1 ? unrelatedCommit : repository.base
  const file = prompt === 'refused' ? '.gitmodules' : `docs/${prompt.replaceAll(' ', '-')}.md`
  const commit = craftCommit({ ...base.files, [file]: '# New\n' }, [base.id])
  const bundle = createCommitBundle(base, commit)
  const report = { title: 'A title', summary: null, reply: 'Done.', session: null, checks: [] }
  return { kind: 'result', baseCommit: base.id, bundle, ...report }
})
cleanup.defer(runner.stop)

const connection = await Connection.connect({ address: temporalAddress })
cleanup.defer(() => connection.close())
const client = new Client({ connection, namespace: instance.environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })

const [set = 'next'] = process.argv.slice(2)
rmSync(join(directory, 'next'), { recursive: true, force: true })
mkdirSync(join(directory, set)) // fails if the release has its histories already
for (const [story, status] of Object.entries(stories) as [Story, JobStatus][]) {
  const jobId = await runJob(story)
  const job = await instance.stores.jobs.get(projectId, jobId)
  if (job.status !== status)
    throw new Error(`${story} ended as ${job.status}, not ${status}: ${JSON.stringify(job.error)}`)
  await record(story, jobId)
}
for (const [story, status] of Object.entries(deliveryStories)) {
  firstStatus = status
  requests = 0
  const endpoint = await createEndpoint()
  await runJob('completed')
  await waitForRequests(1)
  if (status === 500) await runJob('completed')
  await client.workflow.getHandle(endpoint).result()
  await record(story, endpoint)
  await instance.stores.endpoints.delete(projectId, endpoint, operator)
}

async function record(story: string, workflowId: string): Promise<void> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory()
  const name = `${story.replaceAll(' ', '-')}.json`
  // Not `historyToJSON`: it requires the copy of protobufjs that created the history, and there are two copies (tried).
  const plain = History.toObject(History.fromObject(history), { longs: String, bytes: String, enums: String })
  // Stack traces contain the path of the checkout.
  const text = JSON.stringify(plain, null, 1).replaceAll(join(import.meta.dirname, '..'), '/colophon')
  writeFileSync(join(directory, set, name), `${text}\n`)
  console.log(`${set}/${name}: ${history.events?.length} events`)
}

async function createEndpoint(): Promise<Id<'end'>> {
  const endpoint = {
    kind: 'webhook',
    name: 'an endpoint',
    target: `http://${receiverHost}/`,
    events: ['job.completed'],
    maxPerSecond: undefined,
    secret: 'whsec_AA==',
  } as const
  const sealer = createSealer(loadCredentialCommandConfig(instance.environment).sealingKeys)
  return (await instance.stores.endpoints.create(projectId, endpoint, sealer, operator)).id
}

async function waitForRequests(count: number): Promise<void> {
  while (requests < count) await sleep(50)
}

async function runJob(story: Story): Promise<Id<'job'>> {
  const spec = {
    repository: 'docs',
    ref: 'main',
    model: 'test-model',
    title: null,
    draft: false,
    topic: null,
    metadata: {},
  }
  const { body } = await instance.stores.jobs.create(
    projectId,
    { ...spec, prompt: story, publish: 'pull_request' },
    request,
  )
  if (story === 'two turns') await instance.stores.jobs.message(projectId, body.id, { prompt: 'second turn' }, request)
  await jobs.signals.wakeJob(body.id)
  while (story === 'cancelled' && !attemptCounts.has(story)) await sleep(50)
  if (story === 'cancelled') {
    await instance.stores.jobs.cancel(projectId, body.id, operator)
    await jobs.signals.stopJob(body.id)
  }
  if (story === 'paused') {
    while (!attemptCounts.has(story)) await sleep(50)
    await sleep(3_000) // the result is stored, and publishing has found the project paused
    await instance.stores.pauses.resume(projectId, operator)
    await jobs.signals.wakeJob(body.id)
  }
  await client.workflow.getHandle(body.id).result()
  return body.id
}
