/**
 * An hour of views, jobs and reads, in which every minute a process or service is killed, loses its network or is slow. What a process
 * holds is measured at the end of each minute, in the processes that are never restarted: `api 2`, `worker 2` and a runner with an
 * agent. Afterwards, everything that was acknowledged is compared with what there is.
 *
 * `-- picture` writes the charts to docs/pictures/long-haul.svg. `-- keep-logs` keeps the logs of the processes.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AgentLoad } from './long-haul/agent-load.ts'
import { drawCharts, formatSparkline } from './long-haul/chart.ts'
import { checkSeries, checkTableGrowth, medianOfQuarter } from './long-haul/check-growth.ts'
import { faults } from './long-haul/faults.ts'
import { type LongHaulFixture, prepareLongHaulFixture } from './long-haul/fixture.ts'
import { ResourceRecorder } from './long-haul/resources.ts'
import { judge } from './machines-vanish/judge.ts'
import { Load } from './machines-vanish/load.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const guarantee =
  'With a fault every minute for an hour, memory, open files, connections, temporary files and tables stay flat'

/** At the small size there is hardly time for something to grow, so it shows only what grows fast. */
const sizes = {
  ci: { faultCount: 12, secondsPerFault: 20 },
  stated: { faultCount: 60, secondsPerFault: 60 },
  full: { faultCount: 24 * 60, secondsPerFault: 60 },
} as const

const picture = join(import.meta.dirname, '../docs/pictures/long-haul.svg')

export async function prove(run: ProofRun): Promise<void> {
  const { faultCount, secondsPerFault } = sizes[run.size]
  const fixture = await prepareLongHaulFixture(run)
  const { vanish } = fixture
  const load = new Load(vanish.projects, vanish.replicas, seededRandom(run.seed + 1), {
    deliveriesPerSecond: 5,
    jobIntervalMs: 4_000,
    maxActiveJobs: 20,
  })
  const agentLoad = new AgentLoad(fixture)
  run.log('two api, two worker, three test runners and a runner with an agent are up')
  load.start()
  agentLoad.start()

  const recorder = new ResourceRecorder(fixture)
  const random = seededRandom(run.seed + 2)
  const startedAtMs = performance.now()
  let order: typeof faults = []
  for (let index = 0; index < faultCount; index++) {
    if (order.length === 0) order = faults.toSorted(() => random() - 0.5)
    const [fault, ...rest] = order
    order = rest
    await fault?.run(fixture)
    await sleep(Math.max(0, startedAtMs + (index + 1) * secondsPerFault * 1000 - performance.now()))
    await recorder.sample()
    run.log(`${index + 1} of ${faultCount}, ${fault?.name}: ${recorder.describeLast()}`)
  }

  await load.stop(180)
  await agentLoad.stop(300)
  agentLoad.check(run)
  const verdict = await judge(vanish, load, 'at the end', { loadWithinSeconds: 60 })
  await checkIdle(run, fixture)

  for (const series of recorder.series) {
    checkSeries(run, series)
    run.log(`${series.name.padEnd(30)} ${formatSparkline(series.values)}`)
    run.figure(
      `${series.name}: second quarter → last quarter, most`,
      `${series.format(medianOfQuarter(series.values, 2))} → ${series.format(medianOfQuarter(series.values, 4))}, ` +
        series.format(Math.max(...series.values)),
    )
  }
  checkTableGrowth(run, recorder.tables)
  const views = load.deliveries.reduce((sum, delivery) => sum + delivery.views, 0)
  run.figure('minutes, faults', `${Math.round((faultCount * secondsPerFault) / 60)}, ${faultCount}`)
  run.figure('views acknowledged, lost, double', `${views}, ${verdict.viewsLost}, ${verdict.viewsDouble}`)
  run.figure('jobs accepted, lost, double', `${load.jobs.length}, ${verdict.jobsLost}, ${verdict.jobsDouble}`)
  run.figure('jobs of the agent, all completed', agentLoad.completed)
  if (run.args.includes('picture')) writeFileSync(picture, drawCharts(recorder.series, secondsPerFault))
}

/** When there is nothing to do, nothing of the work is left: no process, no directory, no file. */
async function checkIdle(run: ProofRun, fixture: LongHaulFixture): Promise<void> {
  const deadlineMs = performance.now() + 90_000
  let left = await fixture.listLeftovers()
  while (left.length > 0 && performance.now() < deadlineMs) {
    await sleep(1_000)
    left = await fixture.listLeftovers()
  }
  run.check(left.length === 0, `processes and directories of turns are gone when all have ended: ${left.join(', ')}`)
}
