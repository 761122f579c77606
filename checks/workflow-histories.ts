/**
 * Records how jobs run now, as histories of Temporal: `npm run histories`. Those in the repository are what running
 * installations hold, so they are never made anew; a change of the workflow adds a set beside them, and a test replays all.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import proto from '@temporalio/proto'
import { startJobs, workerSettings } from '../dev-services/running-jobs.ts'
import { shareServices } from '../dev-services/running-services.ts'
import { createTestInstance } from '../dev-services/test-instance.ts'
import { startTestRunner } from '../proofs/kit/test-runner.ts'
import { bundleOfCommit, craftCommit } from '../server/src/code-hosts/testing/craft-commit.ts'
import { createGiteaRepository } from '../server/src/code-hosts/testing/gitea-repository.ts'
import type { Job } from '../server/src/jobs/job.ts'
import { connectRepository } from '../server/src/main/connect-repository.ts'
import { loadCodeHostConfig } from '../server/src/platform/config.ts'
import type { Id } from '../server/src/platform/ids.ts'
import type { TurnReport } from '../server/src/runner-wire/runner-wire.ts'

const { History } = proto.temporal.api.history.v1
const directory = join(import.meta.dirname, '../server/src/workflows/histories')
const operator = { kind: 'operator' } as const
const request = { actor: operator, idempotency: undefined, body: (job: Job) => job } as const

/** By prompt; what each shows is its name. */
const stories = ['completed', 'two turns', 'cancelled', 'engine failed', 'performed again', 'refused'] as const

await using cleaning = new AsyncDisposableStack()
const services = await shareServices()
cleaning.defer(services.release)
const { gitea, temporalAddress } = services.addresses
const scope = await createTestInstance(services.addresses, 'histories')
cleaning.defer(scope.drop)
const repository = await createGiteaRepository(gitea)
cleaning.defer(repository.remove)
const settings = workerSettings({ gitea })
const projectId = (await scope.stores.projects.create('Docs', operator)).id
await connectRepository({
  stores: scope.stores,
  pool: scope.pool,
  projectId,
  token: gitea.adminToken,
  actor: operator,
  config: loadCodeHostConfig(settings),
  wanted: {
    host: 'gitea',
    baseUrl: gitea.url,
    owner: repository.owner,
    name: repository.name,
    baseBranch: 'main',
    docsFolder: 'docs',
    publishing: {},
  },
})
const jobs = await startJobs(scope, settings)
cleaning.defer(jobs.stop)

const performed = new Map<string, number>()
const runner = startTestRunner(jobs.gatewayUrl, jobs.runnerToken, async ({ prompt }, stopped): Promise<TurnReport> => {
  const times = (performed.get(prompt) ?? 0) + 1
  performed.set(prompt, times)
  if (prompt === 'engine failed') return { kind: 'agent_failed', message: 'as told' }
  while (prompt === 'cancelled' && !stopped.aborted) await sleep(50)
  if (stopped.aborted) return { kind: 'stopped' }
  const nowhere = craftCommit({ 'docs/elsewhere.md': '# Elsewhere\n' }, [])
  const base = prompt === 'performed again' && times === 1 ? nowhere : repository.base
  const file = prompt === 'refused' ? '.gitmodules' : `docs/${prompt.replaceAll(' ', '-')}.md`
  const commit = craftCommit({ ...base.files, [file]: '# New\n' }, [base.id])
  const bundle = bundleOfCommit(base, commit)
  const words = { title: 'A title', summary: null, reply: 'Done.', session: null, checks: [] }
  return { kind: 'result', baseCommit: base.id, bundle, ...words }
})
cleaning.defer(runner.stop)

const connection = await Connection.connect({ address: temporalAddress })
cleaning.defer(() => connection.close())
const client = new Client({ connection, namespace: scope.environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })

const set = String(Math.max(0, ...readdirSync(directory).map(Number).filter(Number.isInteger)) + 1)
mkdirSync(join(directory, set))
for (const story of stories) {
  const jobId = await play(story)
  const history = await client.workflow.getHandle(jobId).fetchHistory()
  const name = `${story.replaceAll(' ', '-')}.json`
  // Not `historyToJSON`: it wants the very copy of protobufjs that made the history, and there are two (tried).
  const plain = History.toObject(History.fromObject(history), { longs: String, bytes: String, enums: String })
  const anywhere = JSON.stringify(plain, null, 1).replaceAll(join(import.meta.dirname, '..'), '/colophon') // in stack traces
  writeFileSync(join(directory, set, name), `${anywhere}\n`)
  console.log(`${set}/${name}: ${history.events?.length} events`)
}

async function play(story: (typeof stories)[number]): Promise<Id<'job'>> {
  const wanted = { repository: 'docs', ref: 'main', model: 'm', title: null, draft: false, topic: null, metadata: {} }
  const { body } = await scope.stores.jobs.create(
    projectId,
    { ...wanted, prompt: story, publish: 'pull_request' },
    request,
  )
  if (story === 'two turns') await scope.stores.jobs.message(projectId, body.id, { prompt: 'second turn' }, request)
  await jobs.signals.wakeJob(body.id)
  while (story === 'cancelled' && !performed.has(story)) await sleep(50)
  if (story === 'cancelled') {
    await scope.stores.jobs.cancel(projectId, body.id, operator)
    await jobs.signals.stopJob(body.id)
  }
  await client.workflow.getHandle(body.id).result()
  return body.id
}
