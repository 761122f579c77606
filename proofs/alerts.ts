/**
 * A real Prometheus server scrapes a real `api`, `worker` and runner, and evaluates the alert rules of deploy/monitoring/alerts.yml, with
 * durations divided by one factor (alerts/scale-rules.ts). First the instance is healthy and works, and no alert may fire. Then each fault
 * is made in turn, until its alerts fire, and repaired.
 *
 * Arguments: only-faults, fault=<part of its title>, keep-logs.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type MetricDefinition, metricCatalog } from '../server/src/platform/metrics/catalog.ts'
import { type Fault, faults } from './alerts/faults.ts'
import { type AlertsFixture, startFixture } from './alerts/fixture.ts'
import { startHealthyLoad } from './alerts/healthy-load.ts'
import { scaleRules, secondsUntilFiring } from './alerts/scale-rules.ts'
import type { ProofRun } from './proof.ts'

export const guarantee =
  'Each alert fires within its time when its fault is made, none fires while the instance is healthy, and every metric exists'

const sizes = {
  ci: { factor: 20, healthySeconds: 120 },
  stated: { factor: 20, healthySeconds: 3_600 },
  full: { factor: 5, healthySeconds: 6 * 3_600 },
} as const

const intervalSeconds = 2
/** For the fault to show: sampling every 10 s, scrapes, timeouts of requests, attempts of jobs. A runner counts as online for 90 s. */
const slackSeconds = 90
const onlineSeconds = 90
const repairedWithinSeconds = 180

export async function prove(run: ProofRun): Promise<void> {
  const { factor, healthySeconds } = sizes[run.size]
  const { text, alerts } = scaleRules(factor)
  const covered = new Set(faults.flatMap(({ alerts: names }) => names))
  const missing = alerts.filter(({ alert }) => !covered.has(alert)).map(({ alert }) => alert)
  run.check(missing.length === 0, `each alert has a fault: ${missing.join(', ') || 'all'}`)
  const fixture = await startFixture(run, { rules: text, intervalSeconds })
  const { prometheus } = fixture
  run.log('started')
  if (!run.args.includes('only-faults')) await checkHealthy(run, fixture, healthySeconds)

  const selected = run.args
    .filter((argument) => argument.startsWith('fault='))
    .map((argument) => argument.slice('fault='.length))
  const fired = new Map<string, number>()
  for (const fault of faults.filter(
    ({ title }) => selected.length === 0 || selected.some((part) => title.includes(part)),
  )) {
    const limits = new Map(
      alerts
        .filter(({ alert }) => fault.alerts.includes(alert))
        .map((alert) => [
          alert.alert,
          secondsUntilFiring(alert) + slackSeconds + (alert.alert === 'ColophonNoRunnerOnline' ? onlineSeconds : 0),
        ]),
    )
    for (const [alert, seconds] of await makeFault(run, fixture, fault, limits)) fired.set(alert, seconds)
  }
  if (run.args.every((argument) => argument === 'keep-logs')) await checkMetrics(run, fixture)
  run.figure('alert rules', alerts.length)
  run.figure('durations of the rules divided by', factor)
  for (const [alert, seconds] of fired) run.figure(`${alert}: fired after`, `${seconds.toFixed(0)} s`)
  run.log(`series: ${(await prometheus.query('count({__name__=~"colophon_.+"})'))[0]?.value}`)
}

async function checkHealthy(run: ProofRun, fixture: AlertsFixture, seconds: number): Promise<void> {
  const load = startHealthyLoad(fixture)
  await sleep(20_000) // the first scrapes
  const seen = new Set<string>()
  const endAt = performance.now() + seconds * 1000
  while (performance.now() < endAt) {
    for (const alert of await fixture.prometheus.firing()) {
      if (!seen.has(alert)) run.log(`${alert} fires`)
      seen.add(alert)
    }
    await sleep(2_000)
  }
  await load.stop()
  run.check(seen.size === 0, `no alert fires while the instance is healthy: ${[...seen].join(', ') || 'none'}`)
  run.check(
    load.failures.length === 0,
    `the healthy load does not fail: ${load.failures.slice(0, 3).join('; ') || 'no'}`,
  )
  run.check(load.jobs > 0, `jobs run in the healthy period: ${load.jobs}`)
  run.figure('healthy period', `${seconds} s`)
  run.figure('jobs and requests in it', `${load.jobs}, ${load.requests}`)
  run.figure('alerts that fired in it', seen.size)
}

/** Returns after how many seconds each alert fired. */
async function makeFault(
  run: ProofRun,
  fixture: AlertsFixture,
  fault: Fault,
  limits: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const fired = new Map<string, number>()
  const repair = new AbortController()
  const startedAt = performance.now()
  const elapsedSeconds = () => (performance.now() - startedAt) / 1000
  const made = fault.make(fixture, repair.signal)
  made.catch(() => {}) // awaited below
  const longest = Math.max(...limits.values())
  while (fired.size < limits.size && elapsedSeconds() < longest) {
    for (const alert of await fixture.prometheus.firing())
      if (limits.has(alert) && !fired.has(alert)) fired.set(alert, elapsedSeconds())
    await sleep(500)
  }
  repair.abort()
  await made
  for (const [alert, limit] of limits) {
    const seconds = fired.get(alert)
    const outcome = seconds === undefined ? 'did not fire' : `${seconds.toFixed(0)} s`
    run.log(`${fault.title}: ${alert} ${outcome}`)
    run.check(seconds !== undefined && seconds <= limit, `${fault.title}: ${alert} fires within ${limit} s: ${outcome}`)
  }
  const repairedAt = performance.now()
  let firing = await fixture.prometheus.firing()
  while (firing.size > 0 && performance.now() - repairedAt < repairedWithinSeconds * 1000) {
    await sleep(1_000)
    firing = await fixture.prometheus.firing()
  }
  run.check(firing.size === 0, `after “${fault.title}” no alert stays: ${[...firing].join(', ') || 'none'}`)
  return fired
}

/** Exported only by processes that terminate TLS themselves, which ran for one fault. */
async function checkMetrics(run: ProofRun, { prometheus }: AlertsFixture): Promise<void> {
  const found = await prometheus.query('group by (__name__) (last_over_time({__name__=~"colophon_.+"}[2h]))')
  const series = new Set(found.map(({ labels }) => labels.__name__))
  const missing = Object.entries<MetricDefinition>(metricCatalog)
    .map(([name, { type }]) => (type === 'histogram' ? `${name}_count` : name))
    .filter((name) => !series.has(name))
  run.check(missing.length === 0, `every metric of the catalog was scraped: ${missing.join(', ') || 'all'}`)
  run.figure('metrics that were scraped', Object.keys(metricCatalog).length - missing.length)
}
