/**
 * Thousands of active projects, page views and jobs at a constant rate, on tables as they are after a week of the same load. The
 * tables, the memory, the WAL and the latencies at the end are compared with those at the start. All views and jobs of the run are
 * counted at the end. The sender and all services share the cores of one machine.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { waitUntilLoaded } from './ingest-rate/backlog.ts'
import type { ProofRun } from './proof.ts'
import { ApiLoad } from './steady-state/api-load.ts'
import { BeaconSender } from './steady-state/beacon-sender.ts'
import {
  checkClickhouseTables,
  checkPostgresTables,
  checkTableScans,
  type TableState,
} from './steady-state/check-tables.ts'
import type { SentLoad } from './steady-state/expected-growth.ts'
import { printLoad, printPeriods } from './steady-state/figures.ts'
import { createSteadyFixture, type SteadyFixture } from './steady-state/fixture.ts'
import { formatCount, formatMegabytes, formatMs } from './steady-state/format.ts'
import { projectIdOf } from './steady-state/generated-projects.ts'
import { checkPeriods } from './steady-state/judge.ts'
import { splitIntoPeriods, summarize } from './steady-state/period.ts'
import { createPlan, type Plan } from './steady-state/plan.ts'
import { countExpiredRows, waitForRetention } from './steady-state/retention.ts'
import { type Sample, takeSample } from './steady-state/sample.ts'
import type { FinalBeaconReport } from './steady-state/send-beacons.ts'
import {
  countPostgresRows,
  countViewsByProject,
  readClickhouseTables,
  readPostgresTables,
  sumViews,
} from './steady-state/table-sizes.ts'

export const guarantee =
  'With thousands of active projects, on tables that a week of views and jobs has filled, nothing grows that should not'

export async function prove(run: ProofRun): Promise<void> {
  const plan = createPlan(run)
  const fixture = await createSteadyFixture(run, plan)
  await waitForRetention(fixture.postgres, fixture.workerStartedAt, maxRetentionSeconds[run.size])
  const before = await readTables(fixture)
  const viewsBefore = await sumViews(fixture.clickhouse)
  const startedAtMs = Date.now()

  const sender = new BeaconSender(run, {
    apiUrl: fixture.api.url,
    perSecond: plan.beaconsPerSecond,
    rampSeconds: plan.warmUpSeconds * 0.6,
    projects: plan.projects,
    seed: run.seed,
  })
  const load = new ApiLoad(fixture.api.url, plan, fixture.projects, run.random)
  load.start()
  const samples = await measure(run, plan, fixture, sender, load)
  const beacons = await sender.finish()
  await load.stop(120)
  await waitUntilLoaded(fixture.colophon.pool, 60)
  const seconds = (Date.now() - startedAtMs) / 1000

  const after = await readTables(fixture)
  const sent: SentLoad = {
    plan,
    seconds,
    beacons: beacons.sent,
    newPages: beacons.newPages,
    jobs: load.jobsCreated,
    turns: load.jobsCreated + load.messagesSent,
    newHours: Math.floor(Date.now() / 3_600_000) - Math.floor(startedAtMs / 3_600_000),
    newMonths: new Date().getUTCMonth() === new Date(startedAtMs).getUTCMonth() ? 0 : 1,
  }
  const periods = splitIntoPeriods(samples)
  printLoad(run, plan, fixture, samples, beacons)
  printPeriods(run, samples, periods)
  checkLoad(run, load, beacons)
  await checkViews(run, fixture, { viewsBefore, startedAtMs, beacons })
  checkPeriods(run, plan, periods)
  await checkRetention(run, fixture)
  checkPostgresTables(run, before, after, sent)
  checkTableScans(run, before, samples)
  checkClickhouseTables(run, before, after, sent)
}

/** What the worker finds expired at its start is deleted within this time, and what expires later within minutes. */
const maxRetentionSeconds = { ci: 30, stated: 120, full: 300 }

async function checkRetention(
  run: ProofRun,
  { postgres, workerStartedAt, expiredBefore }: SteadyFixture,
): Promise<void> {
  for (const [label, rows] of await countExpiredRows(postgres, workerStartedAt)) {
    const rowsBefore = expiredBefore.get(label) ?? 0
    run.check(rows === 0, `${label} are deleted: ${rows} of ${rowsBefore} are left`)
    run.figure(`${label}, deleted`, `${formatCount(rowsBefore)} → ${rows}`)
  }
}

async function measure(
  run: ProofRun,
  plan: Plan,
  fixture: SteadyFixture,
  sender: BeaconSender,
  load: ApiLoad,
): Promise<Sample[]> {
  await sleep(plan.warmUpSeconds * 1000)
  const samples = [await takeSample(fixture, sender, load)]
  const sampleCount = Math.round(plan.measuredSeconds / plan.sampleSeconds)
  for (let nextAtMs = performance.now(); samples.length <= sampleCount; ) {
    nextAtMs += plan.sampleSeconds * 1000
    await sleep(Math.max(0, nextAtMs - performance.now()))
    samples.push(await takeSample(fixture, sender, load))
    const last = summarize(samples.slice(-2))
    const cpu = Object.entries(last.cpuShares).map(([name, share]) => `${name} ${share.toFixed(2)}`)
    run.log(
      `${last.acceptedPerSecond.toFixed(0)} beacons/s, p50 ${formatMs(last.beaconMs.p50)}, p99 ${formatMs(last.beaconMs.p99)}; ` +
        `api ${formatMegabytes(last.apiMemoryBytes)}, worker ${formatMegabytes(last.workerMemoryBytes)}; ` +
        `backlog ${last.maxBacklogAgeSeconds.toFixed(1)} s; ${load.jobsCreated} jobs; CPU ${cpu.join(', ')}`,
    )
  }
  return samples
}

async function readTables({ postgres, clickhouse }: SteadyFixture): Promise<TableState> {
  const postgresTables = await readPostgresTables(postgres)
  const names = postgresTables.map(({ name }) => name)
  return {
    postgresTables,
    postgresRows: await countPostgresRows(postgres, names),
    clickhouseTables: await readClickhouseTables(clickhouse),
  }
}

function checkLoad(run: ProofRun, load: ApiLoad, beacons: FinalBeaconReport): void {
  const turns = load.jobsCreated + load.messagesSent
  run.check(beacons.failed === 0, `no beacon is rejected: ${beacons.failed}: ${beacons.reasons.join(', ')}`)
  run.check(load.turnsEnded === turns, `every turn ends: ${load.turnsEnded} of ${turns}`)
  run.check(load.failures.length === 0, `no request and no job fails: ${load.failures.slice(0, 5).join('; ')}`)
  run.figure('jobs and messages, all completed', `${load.jobsCreated} and ${load.messagesSent}`)
  run.figure('reads of reports and jobs', load.reads)
}

/** Every view that was accepted is counted once, in each project and in each table of sums. */
async function checkViews(
  run: ProofRun,
  { clickhouse }: SteadyFixture,
  {
    viewsBefore,
    startedAtMs,
    beacons,
  }: { viewsBefore: Map<string, number>; startedAtMs: number; beacons: FinalBeaconReport },
): Promise<void> {
  const counted = await countViewsByProject(clickhouse, startedAtMs)
  const wrong = beacons.acceptedByProject.filter(
    (accepted, project) => accepted !== (counted.get(projectIdOf(project)) ?? 0),
  )
  run.check(
    wrong.length === 0,
    `each project has the views that were accepted for it: ${wrong.length} projects have not`,
  )
  for (const [table, views] of await sumViews(clickhouse)) {
    const gained = views - (viewsBefore.get(table) ?? 0)
    run.check(gained === beacons.accepted, `${table} counts each accepted view once: ${gained} of ${beacons.accepted}`)
  }
  const active = beacons.acceptedByProject.filter((accepted) => accepted > 0).length
  run.check(active === beacons.acceptedByProject.length, `every project is active: ${active}`)
  run.figure('projects with views in the run', formatCount(active))
  run.figure('views accepted, all counted once', formatCount(beacons.accepted))
}
