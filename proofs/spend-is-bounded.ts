/**
 * Agents of many projects call models through two gateways until they are denied, while the provider lies about what they used,
 * responses get lost, and the gateways are killed. Each part of the proof has other ceilings.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '../server/src/platform/ids.ts'
import { createClaimedTurn, createClaimingRunner } from '../testing/harness/claimed-turn.ts'
import { type Colophon, prepareColophon, type Settings } from '../testing/harness/colophon.ts'
import { ProcessKiller } from '../testing/harness/process-killer.ts'
import { operator } from '../testing/harness/test-instance.ts'
import { createModelServer } from '../testing/simulators/model/model-server.ts'
import { type ProofRun, seededRandom } from './proof.ts'
import {
  findWrongTotals,
  findWrongUsage,
  measureOverruns,
  type Overruns,
  type ProjectUsdLimits,
  type ScopeLimits,
} from './spend-is-bounded/judge.ts'
import {
  type Agent,
  callKinds,
  LyingAgents,
  maxOutputTokens,
  measureOverhead,
} from './spend-is-bounded/lying-agents.ts'

export const guarantee =
  'No budget of a job, a project or the instance is exceeded by more than one model call, and every cent is counted once'

/** In US dollars per million tokens: high, so that limits in whole dollars take few calls. */
const prices = { input: '3000', output: '15000', cacheRead: '3000', cacheWrite: null }
/** Of the largest request of this proof. */
const maxReservation = { tokens: 2_500, usd: 2_000 * 0.003 + maxOutputTokens * 0.015 }

const jobCeilingTokens = 20_000
const noLimits = {
  COLOPHON_BUDGET_MAX_TOKENS_PER_JOB: String(jobCeilingTokens),
  COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH: 'none',
  COLOPHON_BUDGET_MAX_USD_PER_MONTH: 'none',
  COLOPHON_BUDGET_MAX_TOKENS_PER_HOUR: 'none',
  COLOPHON_BUDGET_MAX_USD_PER_HOUR: 'none',
  COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_MONTH: 'none',
  COLOPHON_INSTANCE_BUDGET_MAX_USD_PER_MONTH: 'none',
  COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_HOUR: 'none',
  COLOPHON_INSTANCE_BUDGET_MAX_USD_PER_HOUR: 'none',
  COLOPHON_JOB_STALL_SECONDS: '86400', // the turns have no workflow, and none must be started for them
}

interface Fixture {
  run: ProofRun
  colophon: Colophon
  projects: readonly Id<'prj'>[]
  killer: ProcessKiller
  overruns: Overruns
  /** The kinds of processes that ended without being killed. */
  unexpectedExits: string[]
}

export async function prove(run: ProofRun): Promise<void> {
  const { projectCount, minutes } = {
    ci: { projectCount: 10, minutes: 2 },
    stated: { projectCount: 50, minutes: 12 },
    full: { projectCount: 200, minutes: 50 },
  }[run.size]
  await waitForCalmHour(run, minutes)
  const { colophon, providerCalls } = await prepareInstance(run)
  const projects: Id<'prj'>[] = []
  while (projects.length < projectCount)
    projects.push((await colophon.stores.projects.create(`Project ${projects.length}`, operator)).id)
  const killer = new ProcessKiller(seededRandom(run.seed + 1))
  const fixture: Fixture = { run, colophon, projects, killer, overruns: new Map(), unexpectedExits: [] }

  const agents = new LyingAgents(seededRandom(run.seed + 2), await measureRequestOverhead(fixture))
  await spendJobsAndMonths(fixture, agents)
  await spendHours(fixture, agents)
  await spendHourOfInstance(fixture, agents)
  await spendMonthOfInstance(fixture, agents)

  const { records } = agents
  const wrongTotals = await findWrongTotals(colophon.pool)
  run.check(
    wrongTotals.length === 0,
    `each total is the sum of its calls, to the last fraction of a cent: ${wrongTotals.slice(0, 3).join('; ')}`,
  )
  run.check(records.seen.length > 100, `agents have seen what the provider reported: ${records.seen.length} times`)
  const wrongUsage = await findWrongUsage(colophon.pool, records.seen)
  run.check(
    wrongUsage.length === 0,
    `each usage that the provider reported is counted once: ${wrongUsage.slice(0, 3).join('; ')}`,
  )
  for (const [name, overrun] of fixture.overruns) {
    const max = name.startsWith('dollars') ? maxReservation.usd : maxReservation.tokens
    run.check(overrun <= max, `the ceiling for ${name} is passed by at most one call (${max}): ${overrun}`)
    run.check(overrun > -max * 3, `the ceiling for ${name} is reached: ${-overrun} were left`)
  }
  await checkDenials(fixture)

  const { rows } = await colophon.pool.query<{ calls: number; lost: number; tokens: string; usd: string }>(
    `SELECT count(*)::int AS calls, count(*) FILTER (WHERE settled_at IS NULL)::int AS lost, sum(tokens) AS tokens,
       round(sum(cost_usd), 2) AS usd FROM model_call`,
  )
  const [ledger] = rows
  if (!ledger) throw new Error('the calls cannot be read')
  const received = await providerCalls()
  run.check(received <= ledger.calls, `each of ${received} calls at the provider was reserved before: ${ledger.calls}`)
  const { total } = await colophon.stores.spend.read('instance', undefined)
  run.check(total.costUsd.toFixed(2) === ledger.usd, `the spend page shows ${ledger.usd} dollars: ${total.costUsd}`)
  run.check(killer.inFlightCount >= 4, `at least 4 kills hit calls in progress: ${killer.inFlightCount}`)
  run.check(fixture.unexpectedExits.length === 0, `no worker exits by itself: ${fixture.unexpectedExits.join(', ')}`)
  for (const kind of callKinds)
    run.check((records.calls.get(kind) ?? 0) > 0, `there are calls of the kind ${kind}: ${records.calls.get(kind)}`)

  run.figure('projects', projectCount)
  run.figure('model calls', `${ledger.calls} (${ledger.lost} never settled)`)
  run.figure('responses', [...records.calls].map(([kind, count]) => `${kind} ${count}`).join(', '))
  run.figure('counted', `${ledger.tokens} tokens, ${ledger.usd} dollars`)
  run.figure('gateways killed', `${killer.count} (${killer.inFlightCount} with calls in progress)`)
  run.figure('denied calls', records.denied)
  for (const [name, overrun] of fixture.overruns)
    run.figure(`ceiling for ${name}, passed by`, overrun <= 0 ? 'nothing' : overrun.toFixed(2), {
      goal: `≤ one call (${name.startsWith('dollars') ? maxReservation.usd : maxReservation.tokens})`,
      isMet: overrun <= (name.startsWith('dollars') ? maxReservation.usd : maxReservation.tokens),
    })
}

/** The hour must not change during the proof, because its limits are chosen to be reached within one hour. */
async function waitForCalmHour(run: ProofRun, minutes: number): Promise<void> {
  const remainingMinutes = 60 - ((Date.now() / 60_000) % 60)
  if (remainingMinutes >= minutes) return
  run.log(`waiting ${remainingMinutes.toFixed(1)} minutes for the next hour`)
  await sleep(remainingMinutes * 60_000 + 2_000)
}

async function prepareInstance(run: ProofRun) {
  const provider = createModelServer().listen(0, '127.0.0.1')
  await once(provider, 'listening')
  run.cleanUp(async () => {
    provider.closeAllConnections()
    provider.close()
  })
  const providerUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
  const colophon = await prepareColophon(run, 'spend', {
    model: 'none',
    settings: { COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS: new URL(providerUrl).host },
  })
  await colophon.addModel(
    {
      name: 'model',
      format: 'openai-completions',
      baseUrl: `${providerUrl}/v1`,
      providerModel: 'model',
      maxOutputTokens,
      prices,
    },
    'key',
  )
  const providerCalls = async () => {
    const calls = (await (await fetch(`${providerUrl}/calls?since=0`)).json()) as { sequence: number }[]
    return calls.at(-1)?.sequence ?? 0
  }
  return { colophon, providerCalls }
}

async function measureRequestOverhead(fixture: Fixture) {
  const { colophon, projects } = fixture
  const worker = await colophon.start('worker', noLimits)
  const [agent] = await createAgents(fixture, projects.slice(0, 1), 1)
  if (!agent) throw new Error('there is no agent')
  const overhead = await measureOverhead(worker.url, agent, async () => {
    const query = 'SELECT input_tokens::int AS tokens FROM model_call WHERE job_id = $1 AND settled_at IS NOT NULL'
    for (;;) {
      const { rows } = await colophon.pool.query<{ tokens: number }>(query, [agent.jobId])
      if (rows[0]) return rows[0].tokens
      await sleep(50)
    }
  })
  await worker.process.stop()
  return overhead
}

async function createAgents(
  { colophon }: Fixture,
  projects: readonly Id<'prj'>[],
  perProject: number,
): Promise<Agent[]> {
  const agents: Agent[] = []
  for (const projectId of projects) {
    const runner = await createClaimingRunner(colophon, projectId)
    for (let count = 0; count < perProject; count++)
      agents.push({ projectId, ...(await createClaimedTurn(colophon, projectId, 'model', runner)) })
  }
  return agents
}

interface Part {
  name: string
  settings: Settings
  limits: Partial<ScopeLimits>
  projectUsd?: ProjectUsdLimits
  jobsPerProject: number
}

/** Runs agents through two gateways, which are killed one after the other, until all are denied. */
async function spend(fixture: Fixture, agents: LyingAgents, part: Part): Promise<void> {
  const { run, colophon, projects, killer, overruns } = fixture
  const limits: ScopeLimits = {
    jobTokens: jobCeilingTokens,
    projectMonthTokens: null,
    projectHourTokens: null,
    instanceHourUsd: null,
    instanceMonthTokens: null,
    ...part.limits,
  }
  const startedAtMs = Date.now()
  const settings = { ...noLimits, ...part.settings }
  const workers = [await colophon.prepare('worker', settings), await colophon.prepare('worker', settings)]
  const hasWorkInFlight = async () => {
    const query =
      "SELECT FROM model_call WHERE settled_at IS NULL AND reserved_at > clock_timestamp() - interval '1 second'"
    return (await colophon.pool.query(query)).rows.length > 0
  }
  const targets = workers.map(({ process }) => ({ kind: 'worker', process, hasWorkInFlight }))
  await Promise.all(targets.map((target) => killer.start(target)))
  const jobs = await createAgents(fixture, projects, part.jobsPerProject)

  const done = new AbortController()
  const measure = () => measureOverruns(colophon.pool, limits, part.projectUsd ?? new Map(), overruns)
  const measuring = (async () => {
    while (!done.signal.aborted) {
      await measure()
      await sleep(100)
    }
  })()
  const killing = killer.killInRounds(targets, () => sleep(300 + run.random() * 900), done.signal)
  await agents.run(
    jobs,
    workers.map(({ url }) => url),
  )
  done.abort()
  await Promise.all([measuring, killing])
  fixture.unexpectedExits.push(...killer.unexpectedExits.splice(0))
  // A gateway that stops settles its calls; those of a gateway that was killed are never settled.
  await Promise.all(workers.map(({ process }) => process.stop()))
  killer.unexpectedExits.length = 0 // these stopped as they should
  await measure()
  run.log(`${part.name}: ${jobs.length} jobs were denied after ${((Date.now() - startedAtMs) / 1000).toFixed(0)} s`)
}

/** A quarter of the projects each: own limits of jobs and months, a budget far above the ceiling, and none. */
async function spendJobsAndMonths(fixture: Fixture, agents: LyingAgents): Promise<void> {
  const { colophon, projects } = fixture
  const { budgets } = colophon.stores
  const none = { maxTokensPerJob: null, maxTokensPerMonth: null, maxUsdPerMonth: null }
  const projectUsd = new Map<string, number>()
  for (const [index, projectId] of projects.entries()) {
    if (index % 4 === 1) {
      projectUsd.set(projectId, 250)
      await budgets.set(projectId, { ...none, maxUsdPerMonth: 250 }, operator)
    }
    if (index % 4 === 2)
      await budgets.set(projectId, { maxTokensPerJob: 1e12, maxTokensPerMonth: 1e12, maxUsdPerMonth: 1e9 }, operator)
  }
  const maxTokensPerMonth = 50_000
  await spend(fixture, agents, {
    name: 'jobs, and months of projects',
    settings: { COLOPHON_BUDGET_MAX_TOKENS_PER_MONTH: String(maxTokensPerMonth) },
    limits: { projectMonthTokens: maxTokensPerMonth },
    projectUsd,
    jobsPerProject: 3,
  })
  for (const projectId of projects) await budgets.set(projectId, none, operator)
}

async function spendHours(fixture: Fixture, agents: LyingAgents): Promise<void> {
  const maxTokensPerHour = 80_000
  await spend(fixture, agents, {
    name: 'hours of projects',
    settings: { COLOPHON_BUDGET_MAX_TOKENS_PER_HOUR: String(maxTokensPerHour) },
    limits: { projectHourTokens: maxTokensPerHour },
    jobsPerProject: 4,
  })
}

/** Per project, above what is used already. Far less than the jobs would use without a limit. */
const usdForInstance = 60
const tokensForInstance = 10_000

async function spendHourOfInstance(fixture: Fixture, agents: LyingAgents): Promise<void> {
  const { usd } = await readInstanceTotals(fixture)
  const instanceHourUsd = Math.ceil(usd) + usdForInstance * fixture.projects.length
  await spend(fixture, agents, {
    name: 'the hour of the instance',
    settings: { COLOPHON_INSTANCE_BUDGET_MAX_USD_PER_HOUR: String(instanceHourUsd) },
    limits: { instanceHourUsd },
    jobsPerProject: 2,
  })
}

async function spendMonthOfInstance(fixture: Fixture, agents: LyingAgents): Promise<void> {
  const { tokens } = await readInstanceTotals(fixture)
  const instanceMonthTokens = tokens + tokensForInstance * fixture.projects.length
  await spend(fixture, agents, {
    name: 'the month of the instance',
    settings: { COLOPHON_INSTANCE_BUDGET_MAX_TOKENS_PER_MONTH: String(instanceMonthTokens) },
    limits: { instanceMonthTokens },
    jobsPerProject: 2,
  })
}

async function readInstanceTotals({ colophon }: Fixture): Promise<{ tokens: number; usd: number }> {
  const { rows } = await colophon.pool.query<{ tokens: number; usd: number }>(
    "SELECT tokens::float, cost_usd::float AS usd FROM model_period WHERE scope = 'instance' AND period = 'month'",
  )
  if (!rows[0]) throw new Error('nothing was spent')
  return rows[0]
}

async function checkDenials({ run, colophon }: Fixture): Promise<void> {
  const { rows } = await colophon.pool.query<{ budget: string; turns: number }>(
    'SELECT budget, count(*)::int AS turns FROM turn_over_budget GROUP BY budget ORDER BY budget',
  )
  const denied = new Map(rows.map(({ budget, turns }) => [budget, turns]))
  for (const budget of [
    'job_tokens',
    'month_tokens',
    'month_usd',
    'hour_tokens',
    'instance_hour_usd',
    'instance_month_tokens',
  ])
    run.check((denied.get(budget) ?? 0) > 0, `turns end because of ${budget}: ${denied.get(budget) ?? 0}`)
  run.figure('turns that a budget ended', rows.map(({ budget, turns }) => `${budget} ${turns}`).join(', '))
}
