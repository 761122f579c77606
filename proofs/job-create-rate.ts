/**
 * Measures what creating a job costs compared with the two writes that are always needed: its rows in PostgreSQL and its
 * workflow in Temporal. The methods alternate, round by round, because the speed of a machine varies; they run on their own
 * services, so that CPU time can be attributed. No worker runs.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import type pg from 'pg'
import { createJobSignaler, jobTaskQueue } from '../server/src/jobs/job-signaler.ts'
import type { JobStore } from '../server/src/jobs/job-store.ts'
import type { NewJob } from '../server/src/jobs/work-acceptor.ts'
import { type Id, newId } from '../server/src/platform/ids.ts'
import { createLog } from '../server/src/platform/log.ts'
import { type Colophon, type ProjectWithKey, prepareColophon } from '../testing/harness/colophon.ts'
import { cpuMilliseconds } from '../testing/harness/cpu-time.ts'
import { createHourlyLimitReset } from '../testing/harness/hourly-limit-reset.ts'
import { formatBearerHeader, sendHttpRequest } from '../testing/harness/http-call.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { startServices } from '../testing/services/start-services.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'Creating a job through the API costs little more than its database rows and the start of its workflow'

/** Loose at the small size, where the machine may be shared and there are few creates. */
const bounds = {
  ci: { minRatio: 0.5, maxDelayedShare: 0.2 },
  stated: { minRatio: 0.7, maxDelayedShare: 0.02 },
  full: { minRatio: 0.7, maxDelayedShare: 0.02 },
}
const concurrency = 20
/** Until V8 has compiled the hot code: before that, `api` takes 50 % longer (measured). */
const warmUpCreates = 400
/** Enough that neither the hourly limit nor the lock of a project affects the result. */
const projectCount = 50

const methodLabels = {
  rows: 'INSERT of job and turn',
  baseline: 'INSERT and workflow.start',
  store: 'JobStore.create and startJob',
  api: 'POST to the API',
} as const
type Method = keyof typeof methodLabels
const methods = Object.keys(methodLabels) as Method[]

const processNames = ['client', 'api', 'PostgreSQL', 'Temporal'] as const
type CpuTimes = Record<(typeof processNames)[number], number>

interface Round {
  perSecond: number
  /** Per create. */
  cpuMilliseconds: CpuTimes
}

type Create = (project: ProjectWithKey) => Promise<unknown>

export async function prove(run: ProofRun): Promise<void> {
  const services = await startServices({ onStop: run.cleanUp })
  const colophon = await prepareColophon(run, 'create_rate', { addresses: services.addresses })
  const api = await colophon.start('api')
  const connection = await Connection.connect({ address: services.addresses.temporalAddress })
  run.cleanUp(() => connection.close())
  const projects = await createProjects(colophon)
  const resetHourlyLimits = createHourlyLimitReset(colophon)
  const creates = createMethods(colophon, connection, api.url)
  const cpuTimes = async (): Promise<CpuTimes> => {
    const { user, system } = process.cpuUsage()
    return {
      client: (user + system) / 1000,
      api: await cpuMilliseconds(api.process.pid ?? 0),
      PostgreSQL: await cpuMilliseconds(services.processes.postgres.pid ?? 0),
      Temporal: await cpuMilliseconds(services.processes.temporal.pid ?? 0),
    }
  }

  const { rounds, perRound } = {
    ci: { rounds: 7, perRound: 100 },
    stated: { rounds: 15, perRound: 300 },
    full: { rounds: 30, perRound: 1_000 },
  }[run.size]
  const measured: Record<Method, Round[]> = { rows: [], baseline: [], store: [], api: [] }
  for (const method of methods) await createMany(creates[method], projects, warmUpCreates)
  for (let round = 0; round < rounds; round++) {
    await resetHourlyLimits()
    for (const method of methods) {
      const before = await cpuTimes()
      const perSecond = await createMany(creates[method], projects, perRound)
      const after = await cpuTimes()
      const cpu = Object.fromEntries(processNames.map((name) => [name, (after[name] - before[name]) / perRound]))
      measured[method].push({ perSecond, cpuMilliseconds: cpu as CpuTimes })
    }
    run.log(methods.map((method) => `${method} ${measured[method].at(-1)?.perSecond.toFixed(0)}/s`).join(', '))
  }

  const delayedStarts = readFileSync(join(colophon.directory, 'api.log'), 'utf8').split('could not wake job').length - 1
  // If the workflow does not start within a second, the create leaves that to the dispatcher. Such creates are cheaper, so they
  // must be rare.
  const created = warmUpCreates + perRound * rounds
  const bound = bounds[run.size]
  run.check(
    delayedStarts <= created * bound.maxDelayedShare,
    `at most ${bound.maxDelayedShare * 100} % of the creates leave the start to the dispatcher: ${delayedStarts} of ${created}`,
  )
  const ratio = median(
    measured.api.map(({ perSecond }, round) => perSecond / (measured.baseline[round]?.perSecond ?? 0)),
  )
  const cpuRatio = sumCpu(medianCpu(measured.baseline)) / sumCpu(medianCpu(measured.api))
  // Wall-clock time is meaningful only on an otherwise idle machine; at the small size, CPU time is compared.
  const checkedRatio = run.size === 'ci' ? cpuRatio : ratio
  run.check(
    checkedRatio >= bound.minRatio,
    `the API reaches at least ${bound.minRatio} times the rate of INSERT and workflow.start: ${checkedRatio.toFixed(2)}`,
  )
  for (const method of methods) {
    const cpu = medianCpu(measured[method])
    const cpuByProcess = processNames
      .filter((name) => cpu[name] >= 0.05)
      .map((name) => `${name} ${cpu[name].toFixed(1)}`)
    const rate = median(measured[method].map(({ perSecond }) => perSecond)).toFixed(0)
    run.figure(methodLabels[method], `${rate}/s; ${sumCpu(cpu).toFixed(1)} ms CPU each (${cpuByProcess.join(', ')})`)
  }
  run.figure('jobs created through the API', `${created} (${delayedStarts} started by the dispatcher)`)
  run.figure(
    'API rate relative to INSERT and workflow.start',
    `${ratio.toFixed(2)}× by wall-clock time, ${cpuRatio.toFixed(2)}× by CPU time`,
  )
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const medianCpu = (rounds: readonly Round[]) =>
  Object.fromEntries(
    processNames.map((name) => [name, median(rounds.map((round) => round.cpuMilliseconds[name]))]),
  ) as CpuTimes

const sumCpu = (cpu: CpuTimes) => processNames.reduce((sum, name) => sum + cpu[name], 0)

/** Returns the number of creates per second. */
async function createMany(create: Create, projects: readonly ProjectWithKey[], count: number): Promise<number> {
  const startedAt = performance.now()
  let next = 0
  const client = async () => {
    for (let index = next++; index < count; index = next++) {
      const project = projects[index % projects.length]
      if (project) await create(project)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return count / ((performance.now() - startedAt) / 1000)
}

function createMethods({ pool, stores, environment }: Colophon, connection: Connection, apiUrl: string) {
  const temporal = new Client({ connection, namespace: environment.COLOPHON_TEMPORAL_NAMESPACE ?? '' })
  const start = (jobId: string) =>
    temporal.workflow.start('runAgentJob', { workflowId: jobId, taskQueue: jobTaskQueue, args: [jobId] })
  const { startJob } = createJobSignaler(temporal, connection, createLog('test', { level: 'error' }))
  return {
    rows: ({ projectId }) => insertRows(pool, projectId),
    baseline: async ({ projectId }) => start(await insertRows(pool, projectId)),
    store: async ({ projectId }) => startJob(await createInStore(stores.jobs, projectId)),
    api: (project) => createThroughApi(apiUrl, project),
  } satisfies Record<Method, Create>
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
  const request = { actor: operator, idempotency: undefined }
  const accepted = await jobs.create(projectId, newJob, { ...request, present: ({ id }) => id })
  return accepted.body
}

async function createThroughApi(apiUrl: string, { projectId, key }: ProjectWithKey): Promise<void> {
  const { status, text } = await sendHttpRequest({
    method: 'POST',
    url: `${apiUrl}/v2/agent/${projectId}/job`,
    headers: [...formatBearerHeader(key), 'content-type', 'application/json'],
    body: JSON.stringify({ prompt: newJob.prompt }),
  })
  if (status !== 201) throw new Error(`POST job returned ${status}: ${text}`)
}

/** Their repositories are never contacted, and their credentials are never opened. */
async function createProjects({ pool, stores, createProject }: Colophon): Promise<ProjectWithKey[]> {
  const projects: ProjectWithKey[] = []
  while (projects.length < projectCount) {
    const project = await createProject('Example')
    const { projectId } = project
    const credentialId = newId('crd')
    await pool.query(
      "INSERT INTO credential (project_id, id, kind, sealed) VALUES ($1, $2, 'code-host-token', 'nothing')",
      [projectId, credentialId],
    )
    const location = { baseUrl: 'https://code.example.com', owner: 'example', name: 'docs', baseBranch: 'main' }
    await stores.repositories.connect(
      projectId,
      {
        host: 'gitea',
        docsFolder: '',
        publishing: {},
        access: { kind: 'token', credentialId },
        hostRepositoryId: null,
        ...location,
      },
      operator,
    )
    projects.push(project)
  }
  return projects
}
