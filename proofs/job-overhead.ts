/**
 * Measures how long a job takes compared with the same steps in a bare script, alternating, with a model that responds at once. They
 * run on their own services, so that CPU time can be attributed.
 */
import { type ProjectWithClient, type RunningColophon, startColophon } from '../testing/harness/colophon.ts'
import { cpuMilliseconds } from '../testing/harness/cpu-time.ts'
import { addScriptedModel, formatFinalAgentReply, promptWithScript } from '../testing/harness/scripted-model.ts'
import { waitForJob } from '../testing/harness/wait-for-job.ts'
import { type RunningServices, startServices } from '../testing/services/start-services.ts'
import { runTurnWithoutColophon } from './job-overhead/baseline-turn.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'A job takes little longer than the same steps in a bare script'

/**
 * Hard to reach on a machine where the script takes a second, half of it in the code host: before a job's first model call, and after
 * its last one, five more processes start than in the script (the supervisor of the sandbox, the description of the site, the docs
 * checks, the inspection of the result, and a second clone of the repository in the worker, which does not trust the first).
 */
const targetRatio = 1.3
/** The measured ratio when this was written, with some margin. A higher ratio is a regression. */
const maxRatio = 2.2

/** The defaults. The timers of tests are shorter, so that what they cause would count as the cost of a job. */
const settings = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '30',
  COLOPHON_JOB_STALL_SECONDS: '60',
  COLOPHON_JOB_PULL_REQUEST_POLL_SECONDS: '300',
}

export async function prove(run: ProofRun): Promise<void> {
  const rounds = { ci: 2, stated: 10, full: 30 }[run.size]
  const services = await startServices({ onStop: run.cleanUp })
  const colophon = await startColophon(run, 'overhead', { addresses: services.addresses, settings })
  await addScriptedModel(colophon, { name: 'model', format: 'anthropic-messages', isDefault: true })
  const project = await colophon.connectProject('Docs')
  const runner = await colophon.startRunner()
  const readCosts = createCostReader(services, colophon, runner.process.pid ?? 0)

  const scripts: number[] = []
  const jobs: number[] = []
  const ids: string[] = []
  const costs: Costs = {}
  for (let round = -1; round < rounds; round++) {
    const scriptSeconds = await seconds(() =>
      runTurnWithoutColophon(colophon, project, { branch: `script-${round}`, prompt: promptOf(round) }),
    )
    const before = await readCosts()
    const jobSeconds = await seconds(async () => ids.push(await runJob(project, round)))
    if (round === -1) continue // warm-up: everything is read from disk for the first time
    addCosts(costs, before, await readCosts())
    scripts.push(scriptSeconds)
    jobs.push(jobSeconds)
    run.log(`script ${scriptSeconds.toFixed(2)} s, job ${jobSeconds.toFixed(2)} s`)
  }

  const ratio = median(jobs.map((took, round) => took / (scripts[round] ?? 0)))
  // Two rounds on a shared machine show only a gross regression.
  const limit = run.size === 'ci' ? 2 * maxRatio : maxRatio
  run.check(ratio <= limit, `a job takes at most ${limit} times as long as the script: ${ratio.toFixed(2)}`)
  const { rowCount } = await colophon.pool.query("SELECT FROM turn WHERE status = 'completed' AND job_id = ANY ($1)", [
    ids,
  ])
  run.check(rowCount === ids.length, `every job completes: ${rowCount} of ${ids.length}`)
  run.figure('script, median', `${median(scripts).toFixed(2)} s`)
  run.figure('job, median', `${median(jobs).toFixed(2)} s`)
  for (const [name, took] of Object.entries(await readSteps(colophon, ids))) run.figure(name, `${took.toFixed(2)} s`)
  const { 'WAL bytes': walBytes = 0, ...cpu } = costs
  const perJob = Object.entries(cpu).map(([name, ms]) => `${name} ${(ms / jobs.length).toFixed(0)} ms`)
  run.figure('CPU time per job', perJob.join(', '))
  run.figure('WAL per job, with that of Temporal and Gitea', `${(walBytes / jobs.length / 1024).toFixed(0)} KiB`)
  run.figure('job relative to script', `${ratio.toFixed(2)}×`, {
    goal: `≤ ${targetRatio}×`,
    isMet: ratio <= targetRatio,
  })
}

const promptOf = (round: number) =>
  promptWithScript(`Write page ${round}.`, [
    { call: [{ tool: 'read', arguments: { path: 'docs/index.md' } }] },
    { call: [{ tool: 'write', arguments: { path: `docs/page-${round}.md`, content: `# Page ${round}\n` } }] },
    { say: formatFinalAgentReply(`Write page ${round}`, 'As asked.') },
  ])

async function runJob(project: ProjectWithClient, round: number): Promise<string> {
  const { id } = await project.client.jobs.create(project.projectId, { prompt: promptOf(round) })
  await waitForJob(project, id, { withinSeconds: 600 }) // long, so that the time of a slow job is measured too
  return id
}

/** The median duration of each step, from the timestamps in PostgreSQL. */
async function readSteps(colophon: RunningColophon, ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await colophon.pool.query<{ claimed: number; worked: number; published: number }>(
    `SELECT extract(epoch FROM attempt.claimed_at - job.created_at)::float AS claimed,
              extract(epoch FROM attempt.ended_at - attempt.claimed_at)::float AS worked,
              extract(epoch FROM turn.ended_at - attempt.ended_at)::float AS published
       FROM job JOIN turn ON turn.job_id = job.id JOIN turn_attempt AS attempt ON attempt.turn_id = turn.id
       WHERE job.id = ANY ($1)`,
    [ids],
  )
  return {
    'of a job: until a runner claims it': median(rows.map(({ claimed }) => claimed)),
    'of a job: clone, agent, docs checks and upload': median(rows.map(({ worked }) => worked)),
    'of a job: result inspection, push and pull request': median(rows.map(({ published }) => published)),
  }
}

/** CPU milliseconds by process, and bytes of WAL. */
type Costs = Record<string, number>

function createCostReader({ processes }: RunningServices, colophon: RunningColophon, runnerPid: number) {
  const pids = {
    api: colophon.api.process.pid,
    worker: colophon.worker.process.pid,
    runner: runnerPid,
    PostgreSQL: processes.postgres.pid,
    Temporal: processes.temporal.pid,
    Gitea: processes.gitea.pid,
  }
  return async (): Promise<Costs> => {
    const { rows } = await colophon.pool.query<{ bytes: string }>("SELECT pg_current_wal_lsn() - '0/0' AS bytes")
    const costs: Costs = { 'WAL bytes': Number(rows[0]?.bytes) }
    for (const [name, pid] of Object.entries(pids)) costs[name] = await cpuMilliseconds(pid ?? 0)
    return costs
  }
}

function addCosts(sum: Costs, before: Costs, after: Costs): void {
  for (const [name, value] of Object.entries(after)) sum[name] = (sum[name] ?? 0) + value - (before[name] ?? 0)
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
