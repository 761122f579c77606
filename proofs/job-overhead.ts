/** What a job costs beside the same steps by a bare script, in turn and on one machine, with a model that answers at once. */
import pg from 'pg'
import { type AgentProject, type AgentService, agentService, closing, played } from './kit/agents/agent-service.ts'
import { bareTurn } from './kit/agents/bare-turn.ts'
import { endedJob } from './kit/agents/ended-job.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'A job takes at most 2.2 times as long as its steps by hand'

/** Where we want to be. Publishing looks before each step and asks the code host a dozen times where a script asks five. */
const wantedRatio = 1.3
/** Where we were when this was written, and some room: more than that is a loss. */
const maxRatio = 2.2

export async function prove(run: ProofRun): Promise<void> {
  const rounds = { ci: 2, stated: 10, full: 30 }[run.size]
  const service = await agentService(run, 'overhead')
  await service.addModel({ name: 'model', format: 'anthropic-messages', isDefault: true })
  const project = await service.connectProject('Docs')
  await service.startRunner()

  const bare: number[] = []
  const jobs: number[] = []
  const ids: string[] = []
  for (let round = -1; round < rounds; round++) {
    const byHand = await seconds(() =>
      bareTurn(service, project, { branch: `by-hand-${round}`, prompt: promptOf(round) }),
    )
    const byJob = await seconds(async () => ids.push(await jobToItsEnd(project, round)))
    if (round === -1) continue // what is read from the disk for the first time
    bare.push(byHand)
    jobs.push(byJob)
    run.say(`by hand ${byHand.toFixed(2)} s, as a job ${byJob.toFixed(2)} s`)
  }

  const ratio = median(jobs.map((took, round) => took / (bare[round] ?? 0)))
  // With two rounds on a machine that does other things too, only a gross loss is seen.
  const most = run.size === 'ci' ? 2 * maxRatio : maxRatio
  run.check(ratio <= most, `a job takes at most ${most} times as long: ${ratio.toFixed(2)}`)
  const { rowCount } = await withPostgres(service, (client) =>
    client.query("SELECT FROM turn WHERE status = 'completed' AND job_id = ANY ($1)", [ids]),
  )
  run.check(rowCount === ids.length, `every job became a pull request: ${rowCount} of ${ids.length}`)
  run.figure('by hand, as a job, median of each', `${median(bare).toFixed(2)} s, ${median(jobs).toFixed(2)} s`)
  for (const [name, took] of Object.entries(await stepsOf(service, ids))) run.figure(name, `${took.toFixed(2)} s`)
  run.figure(`a job beside the same by hand (wanted: ${wantedRatio})`, `${ratio.toFixed(2)} times`)
}

const promptOf = (round: number) =>
  played(`Write page ${round}.`, [
    { call: [{ tool: 'read', arguments: { path: 'docs/index.md' } }] },
    { call: [{ tool: 'write', arguments: { path: `docs/page-${round}.md`, content: `# Page ${round}\n` } }] },
    { say: closing(`Write page ${round}`, 'As asked.') },
  ])

async function jobToItsEnd(project: AgentProject, round: number): Promise<string> {
  const { id } = await project.client.jobs.create(project.projectId, { prompt: promptOf(round) })
  await endedJob(project, id)
  return id
}

/** Where the time goes, in the median, as PostgreSQL has written it down. */
async function stepsOf(service: AgentService, ids: readonly string[]): Promise<Record<string, number>> {
  const { rows } = await withPostgres(service, (client) =>
    client.query<{ claimed: number; worked: number; published: number }>(
      `SELECT extract(epoch FROM attempt.claimed_at - job.created_at)::float AS claimed,
              extract(epoch FROM attempt.ended_at - attempt.claimed_at)::float AS worked,
              extract(epoch FROM turn.ended_at - attempt.ended_at)::float AS published
       FROM job JOIN turn ON turn.job_id = job.id JOIN turn_attempt AS attempt ON attempt.turn_id = turn.id
       WHERE job.id = ANY ($1)`,
      [ids],
    ),
  )
  return {
    'from the create to a runner': median(rows.map(({ claimed }) => claimed)),
    'clone, agent, checks and upload on the runner': median(rows.map(({ worked }) => worked)),
    'looking through the result, push, pull request': median(rows.map(({ published }) => published)),
  }
}

async function withPostgres<Result>(
  { instance }: AgentService,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: instance.postgresUrl })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
