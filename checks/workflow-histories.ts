/**
 * npm run histories: records how jobs run with the current workflow, as Temporal histories. The recorded histories stand for
 * jobs that are in progress on instances during an upgrade, so they are never recreated: a change of the workflow adds another
 * set, and a test replays all sets.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import proto from '@temporalio/proto'
import { craftCommit, createCommitBundle } from '../server/src/code-hosts/testing/craft-commit.ts'
import { createGiteaTestRepository } from '../server/src/code-hosts/testing/gitea-test-repository.ts'
import type { Job } from '../server/src/jobs/job.ts'
import type { JobStatus } from '../server/src/jobs/job-state.ts'
import type { Id } from '../server/src/platform/ids.ts'
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
const jobs = await startTestWorker(instance)
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

const set = String(Math.max(0, ...readdirSync(directory).map(Number).filter(Number.isInteger)) + 1)
mkdirSync(join(directory, set))
for (const [story, status] of Object.entries(stories) as [Story, JobStatus][]) {
  const jobId = await runJob(story)
  const job = await instance.stores.jobs.get(projectId, jobId)
  if (job.status !== status)
    throw new Error(`${story} ended as ${job.status}, not ${status}: ${JSON.stringify(job.error)}`)
  const history = await client.workflow.getHandle(jobId).fetchHistory()
  const name = `${story.replaceAll(' ', '-')}.json`
  // Not `historyToJSON`: it requires the copy of protobufjs that created the history, and there are two copies (tried).
  const plain = History.toObject(History.fromObject(history), { longs: String, bytes: String, enums: String })
  // Stack traces contain the path of the checkout.
  const text = JSON.stringify(plain, null, 1).replaceAll(join(import.meta.dirname, '..'), '/colophon')
  writeFileSync(join(directory, set, name), `${text}\n`)
  console.log(`${set}/${name}: ${history.events?.length} events`)
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
