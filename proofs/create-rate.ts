/**
 * What a create costs beside the two writes that nobody could do without: its rows in PostgreSQL and its workflow in Temporal.
 * Each way is measured in turn, round after round, because a machine is never the same twice; on engines of its own, so that
 * their work can be told apart. No worker runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import type pg from 'pg'
import { prepareProcess, sealingKeySettings } from '../dev-services/colophon.ts'
import { startServices } from '../dev-services/start-services.ts'
import { createTestInstance, type TestInstance } from '../dev-services/test-instance.ts'
import { addTestModel } from '../dev-services/test-model.ts'
import type { JobStore, NewJob } from '../server/src/jobs/job-store.ts'
import { createJobSignals, jobTaskQueue } from '../server/src/jobs/wake-job.ts'
import { scopes } from '../server/src/keys/scopes.ts'
import { type Id, newId } from '../server/src/platform/ids.ts'
import { createLog } from '../server/src/platform/log.ts'
import { cpuMilliseconds } from './kit/cpu-time.ts'
import { bearer, call } from './kit/http-call.ts'
import { passingHours } from './kit/passing-hours.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'A create through the API costs little more than its rows and the start of its workflow'

/** At the small size others may use the machine too, and few rounds hold few creates. */
const bounds = {
  ci: { ratio: 0.5, missed: 0.2 },
  stated: { ratio: 0.7, missed: 0.02 },
  full: { ratio: 0.7, missed: 0.02 },
}
const atOnce = 20
/** Until what is called again and again is compiled: before that, `api` takes half as much again (measured). */
const warmUpCreates = 400
/** So many that neither the hourly limit nor a project's lock is what is measured. */
const projectCount = 50

const ways = {
  rows: 'INSERT of job and turn',
  bare: 'INSERT and workflow.start',
  store: 'create in the store, start',
  api: 'create through the API',
} as const
type Way = keyof typeof ways
const wayNames = Object.keys(ways) as Way[]

const workers = ['client', 'api', 'PostgreSQL', 'Temporal'] as const
type CpuTimes = Record<(typeof workers)[number], number>

interface Round {
  perSecond: number
  /** For each create. */
  cpuMilliseconds: CpuTimes
}

interface Project {
  projectId: Id<'prj'>
  key: string
}

type Create = (project: Project) => Promise<unknown>

export async function prove(run: ProofRun): Promise<void> {
  const services = await startServices({ onStop: run.cleanUp })
  const instance = await createTestInstance(services.addresses, 'create_rate')
  run.cleanUp(instance.drop)
  const environment = { ...instance.environment, ...(await sealingKeySettings()) }
  const api = await prepareProcess('api', { environment, directory: services.directory })
  run.cleanUp(() => api.part.stop())
  await api.part.start()
  const connection = await Connection.connect({ address: services.addresses.temporalAddress })
  run.cleanUp(() => connection.close())
  await addTestModel(instance.stores.models)
  const projects = await makeProjects(instance)
  const letAnHourPass = passingHours(run, { instance })
  const creates = createIn(instance, connection, api.url)
  const cpuTimes = async (): Promise<CpuTimes> => {
    const { user, system } = process.cpuUsage()
    return {
      client: (user + system) / 1000,
      api: await cpuMilliseconds(api.part.pid ?? 0),
      PostgreSQL: await cpuMilliseconds(services.parts.postgres.pid ?? 0),
      Temporal: await cpuMilliseconds(services.parts.temporal.pid ?? 0),
    }
  }

  const { rounds, perRound } = {
    ci: { rounds: 7, perRound: 100 },
    stated: { rounds: 15, perRound: 300 },
    full: { rounds: 30, perRound: 1_000 },
  }[run.size]
  const measured: Record<Way, Round[]> = { rows: [], bare: [], store: [], api: [] }
  for (const way of wayNames) await createMany(creates[way], projects, warmUpCreates)
  for (let round = 0; round < rounds; round++) {
    await letAnHourPass()
    for (const way of wayNames) {
      const before = await cpuTimes()
      const perSecond = await createMany(creates[way], projects, perRound)
      const after = await cpuTimes()
      const cpu = Object.fromEntries(workers.map((name) => [name, (after[name] - before[name]) / perRound]))
      measured[way].push({ perSecond, cpuMilliseconds: cpu as CpuTimes })
    }
    run.say(wayNames.map((way) => `${way} ${measured[way].at(-1)?.perSecond.toFixed(0)}/s`).join(', '))
  }

  const missed = readFileSync(join(services.directory, 'api.log'), 'utf8').split('could not wake a job').length - 1
  // A create that did not get its workflow started within a second leaves that to the dispatcher: few may have had it so easy.
  const created = warmUpCreates + perRound * rounds
  const bound = bounds[run.size]
  run.check(
    missed <= created * bound.missed,
    `nearly all creates through the API started their workflow: not ${missed}`,
  )
  const ratio = median(measured.api.map(({ perSecond }, round) => perSecond / (measured.bare[round]?.perSecond ?? 0)))
  const cpuRatio = sumOf(cpuOf(measured.bare)) / sumOf(cpuOf(measured.api))
  // The clock is for a machine that does nothing else: who shares it with others sees how they share it.
  const held = run.size === 'ci' ? cpuRatio : ratio
  run.check(held >= bound.ratio, `a create is at least ${bound.ratio} of a bare one (${held.toFixed(2)})`)
  for (const way of wayNames) {
    const cpu = cpuOf(measured[way])
    const parts = workers.filter((name) => cpu[name] >= 0.05).map((name) => `${name} ${cpu[name].toFixed(1)}`)
    const rate = median(measured[way].map(({ perSecond }) => perSecond)).toFixed(0)
    run.figure(ways[way], `${rate} a second; CPU ${sumOf(cpu).toFixed(1)} ms each (${parts.join(', ')})`)
  }
  run.figure('creates through the API, those that left the start to the dispatcher', `${created}, ${missed}`)
  run.figure(
    'API beside INSERT and workflow.start',
    `${ratio.toFixed(2)} by the clock, ${cpuRatio.toFixed(2)} by CPU time`,
  )
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const cpuOf = (rounds: readonly Round[]) =>
  Object.fromEntries(
    workers.map((name) => [name, median(rounds.map((round) => round.cpuMilliseconds[name]))]),
  ) as CpuTimes

const sumOf = (cpu: CpuTimes) => workers.reduce((sum, name) => sum + cpu[name], 0)

/** Returns how many were created in a second. */
async function createMany(create: Create, projects: readonly Project[], count: number): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const client = async () => {
    for (let index = next++; index < count; index = next++) {
      const project = projects[index % projects.length]
      if (project) await create(project)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return count / ((performance.now() - startedAt) / 1000)
}

function createIn({ pool, stores, environment }: TestInstance, connection: Connection, apiUrl: string) {
  const temporal = new Client({ connection, namespace: environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })
  const start = (jobId: string) =>
    temporal.workflow.start('runAgentJob', { workflowId: jobId, taskQueue: jobTaskQueue, args: [jobId] })
  const { startJob } = createJobSignals(temporal, connection, createLog('proof', { level: 'error' }))
  return {
    rows: ({ projectId }) => insertRows(pool, projectId),
    bare: async ({ projectId }) => start(await insertRows(pool, projectId)),
    store: async ({ projectId }) => startJob(await createInStore(stores.jobs, projectId)),
    api: (project) => createThroughApi(apiUrl, project),
  } satisfies Record<Way, Create>
}

const newJob: NewJob = {
  prompt: 'Explain in the quickstart how to pass a proxy.',
  repository: 'example/docs',
  ref: 'main',
  model: 'default',
  title: null,
  draft: false,
  publish: 'pull_request',
  topic: null,
  metadata: {},
}

async function insertRows(pool: pg.Pool, projectId: Id<'prj'>): Promise<Id<'job'>> {
  const jobId = newId('job')
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query(
      `INSERT INTO job (project_id, id, status, repository, ref, model, publish, draft, title, topic, metadata)
       VALUES ($1, $2, 'active', $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        projectId,
        jobId,
        newJob.repository,
        newJob.ref,
        newJob.model,
        newJob.publish,
        newJob.draft,
        newJob.title,
        newJob.topic,
        newJob.metadata,
      ],
    )
    await client.query(
      `INSERT INTO turn (project_id, job_id, id, number, prompt, status) VALUES ($1, $2, $3, 1, $4, 'queued')`,
      [projectId, jobId, newId('trn'), newJob.prompt],
    )
    await client.query('COMMIT')
  } finally {
    client.release()
  }
  return jobId
}

async function createInStore(jobs: JobStore, projectId: Id<'prj'>): Promise<Id<'job'>> {
  const request = { actor: { kind: 'operator' }, idempotency: undefined } as const
  const accepted = await jobs.create(projectId, newJob, { ...request, body: ({ id }) => id })
  return accepted.body
}

async function createThroughApi(apiUrl: string, { projectId, key }: Project): Promise<void> {
  const { status, text } = await call({
    method: 'POST',
    url: `${apiUrl}/v2/agent/${projectId}/job`,
    headers: [...bearer(key), 'content-type', 'application/json'],
    body: JSON.stringify({ prompt: newJob.prompt }),
  })
  if (status !== 201) throw new Error(`a create is not accepted: ${status} ${text}`)
}

/** Nobody goes to their repositories here, nor opens their credentials. */
async function makeProjects({ pool, stores }: TestInstance): Promise<Project[]> {
  const operator = { kind: 'operator' } as const
  const made: Project[] = []
  while (made.length < projectCount) {
    const { id: projectId } = await stores.projects.create('Example', operator)
    const grant = { name: 'key', scopes: [...scopes], allowedNetworks: [], expiresAt: null }
    const { secret } = await stores.keys.create(projectId, grant, operator)
    const credentialId = newId('crd')
    await pool.query(
      "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, $2, 'code-host-token', 'nothing')",
      [projectId, credentialId],
    )
    const where = { baseUrl: 'https://code.example.com', owner: 'example', name: 'docs', baseBranch: 'main' }
    await stores.repositories.connect(
      projectId,
      {
        host: 'gitea',
        docsFolder: '',
        webhookSecret: 'secret',
        publishing: {},
        access: { kind: 'token', credentialId },
        hostRepositoryId: null,
        ...where,
      },
      operator,
    )
    made.push({ projectId, key: secret })
  }
  return made
}
