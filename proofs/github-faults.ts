/**
 * Runs jobs while GitHub misbehaves: responses are lost after the work was done, GitHub is down for seconds, rate limits calls,
 * expires tokens during publishing, and renames repositories; people rewrite the base branch; attackers forge and replay webhooks
 * and try to connect repositories that are not theirs. GitHub is the simulator, which checks every call against GitHub's OpenAPI
 * description.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { RetryingClient } from '../testing/harness/retrying-client.ts'
import {
  type Attacker,
  type ConnectionAttackKind,
  connectionAttackKinds,
  createAttacker,
  isConnectionUnchanged,
  runConnectionAttacks,
} from './github-faults/attackers.ts'
import {
  findConnectionProblem,
  isDecoyUntouched,
  listUnverifiedCommits,
  readGithubAuditTarget,
} from './github-faults/audit.ts'
import { type FaultKind, faultKinds, injectFaults } from './github-faults/fault-injection.ts'
import { createGithubFixture, type GithubFixture } from './github-faults/fixture.ts'
import { Tally } from './github-faults/tally.ts'
import { attackWebhooks, type WebhookAttackKind, webhookAttackKinds } from './github-faults/webhook-attacks.ts'
import { readHostedRepositoryState } from './judges/hosted-repository-state.ts'
import { planJobs } from './judges/job-plans.ts'
import { runPlannedJob, type TrackedJob } from './judges/planned-job.ts'
import { type JobFaultKind, jobFaultKinds } from './judges/verify-job.ts'
import { verifyProject } from './judges/verify-project.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const guarantee =
  'Whatever goes wrong at GitHub, every job finishes exactly once, and nobody can connect a repository that is not theirs'

const longFaults = { outageSeconds: { min: 5, max: 20 }, maxPauseMs: 15_000 } as const
const sizes = {
  ci: { jobs: 20, projectCount: 4, outageSeconds: { min: 3, max: 5 }, maxPauseMs: 5_000, expiredInMidPublish: 1 },
  stated: { jobs: 200, projectCount: 10, expiredInMidPublish: 10, ...longFaults },
  full: { jobs: 1_000, projectCount: 40, expiredInMidPublish: 50, ...longFaults },
} as const

/** Within one project. */
const jobsPerFault = 1.2
/** High, because most jobs wait for GitHub most of the time. */
const jobsAtOnce = 40
const settleSeconds = 300

export async function prove(run: ProofRun): Promise<void> {
  const { jobs, projectCount, outageSeconds, maxPauseMs, expiredInMidPublish } = sizes[run.size]
  const fixture = await createGithubFixture(run, projectCount)
  const attackers = [await createAttacker(fixture, 'eve'), await createAttacker(fixture, 'mallory')]
  run.log(`${projectCount} projects are connected`)

  const retrying = new AbortController()
  const client = new RetryingClient([{ url: fixture.api.url, openWrites: 0 }], retrying.signal)
  const plannedJobs = planJobs(jobs, run.random).map((plan, index): TrackedJob => {
    const project = fixture.projects[index % fixture.projects.length]
    if (!project) throw new Error('the fixture has no project')
    return { plan, project, accepted: undefined, endedAtMs: undefined }
  })
  const waiting = [...plannedJobs]
  const activeJobs = new Set<TrackedJob>()
  const runNext = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      activeJobs.add(job)
      await runPlannedJob(client, job).catch(
        (error: unknown) =>
          retrying.signal.aborted || run.check(false, `a planned job runs without an error in its client: ${error}`),
      )
      activeJobs.delete(job)
    }
  }

  const injectedFaults = new Tally<FaultKind>(faultKinds)
  const webhookTally = new Tally<WebhookAttackKind>(webhookAttackKinds)
  const attackTally = new Tally<ConnectionAttackKind>(connectionAttackKinds)
  const faultsStopping = new AbortController()
  const stop = faultsStopping.signal
  let seed = run.seed + 10
  const nextRandom = () => seededRandom(++seed)
  const injecting = Promise.all([
    ...fixture.projects.map((project, index) => {
      const random = nextRandom()
      const pause = () => {
        const moreJobs = random() * 2 * jobsPerFault * projectCount
        return waitForEndedJobs(plannedJobs, moreJobs, Date.now() + maxPauseMs, stop)
      }
      const options = { fixture, tally: injectedFaults, random, outageSeconds, pause, activeJobs, stop }
      return injectFaults(options, project, index)
    }),
    attackWebhooks(run, fixture, { tally: webhookTally, random: nextRandom(), stop }),
    ...attackers.map((attacker) =>
      runConnectionAttacks(run, fixture, attacker, { tally: attackTally, random: nextRandom(), stop }),
    ),
  ])
  const injected = injecting.then(
    () => {},
    (error: unknown) =>
      run.check(false, `fault injection runs without errors: ${error instanceof Error ? error.stack : error}`),
  )
  const progress = setInterval(() => run.log(describeProgress(plannedJobs, injectedFaults)), 30_000)
  const running = Promise.all(Array.from({ length: jobsAtOnce }, runNext)).then(() => 'done' as const)

  while (waiting.length > 0) if ((await Promise.race([running, sleep(500)])) === 'done') break
  await Promise.race([running, sleep(settleSeconds * 1000)])
  faultsStopping.abort()
  await injected
  await Promise.race([running, sleep(settleSeconds * 1000)])
  clearInterval(progress)
  retrying.abort()
  await running
  run.log(`${describeProgress(plannedJobs, injectedFaults)}; fault injection has stopped`)

  await verify(run, fixture, { plannedJobs, attackers })
  // In a small run, some jobs end before every kind of fault has been injected.
  if (run.size !== 'ci') {
    for (const tally of [injectedFaults, webhookTally, attackTally])
      run.check(
        tally.missing.length === 0,
        `every kind of fault and attack occurred: missing ${tally.missing.join(', ')}`,
      )
  }
  const inMidPublish = injectedFaults.count('expired tokens while publishing')
  run.check(
    inMidPublish >= expiredInMidPublish,
    `at least ${expiredInMidPublish} tokens expired during publishing: ${inMidPublish}`,
  )
  run.check(client.serverErrors.length === 0, `faults of GitHub never cause a server error: ${client.serverErrors[0]}`)
  await reportFigures(run, fixture, plannedJobs)
  run.figure('faults injected', String(injectedFaults))
  run.figure('webhook attacks', String(webhookTally))
  run.figure('attempts to connect a foreign repository', String(attackTally))
}

const countEnded = (plannedJobs: readonly TrackedJob[]) =>
  plannedJobs.filter(({ endedAtMs }) => endedAtMs !== undefined).length

/** Faults keep pace with the jobs, so that their ratio does not depend on the machine, but wait only for a limited time. */
async function waitForEndedJobs(
  plannedJobs: readonly TrackedJob[],
  moreJobs: number,
  untilMs: number,
  stop: AbortSignal,
) {
  const target = countEnded(plannedJobs) + moreJobs
  while (countEnded(plannedJobs) < target && Date.now() < untilMs && !stop.aborted) await sleep(100)
}

const describeProgress = (plannedJobs: readonly TrackedJob[], injectedFaults: Tally<FaultKind>) =>
  `${countEnded(plannedJobs)} of ${plannedJobs.length} jobs ended; ${injectedFaults}`

/** Reads everything again, after the faults have stopped. */
async function verify(
  run: ProofRun,
  fixture: GithubFixture,
  { plannedJobs, attackers }: { plannedJobs: readonly TrackedJob[]; attackers: readonly Attacker[] },
): Promise<void> {
  const client = new RetryingClient([{ url: fixture.api.url, openWrites: 0 }], AbortSignal.timeout(300_000))
  const counts = new Map<JobFaultKind | 'not verified', number>(
    [...jobFaultKinds, 'not verified' as const].map((fault) => [fault, 0]),
  )
  const recordFault = (fault: JobFaultKind | 'not verified', detail: string) => {
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    run.check(false, `${fault}: ${detail}`)
  }
  for (const project of fixture.projects) {
    const audited = await readGithubAuditTarget(fixture, project)
    const host = await readHostedRepositoryState(audited)
    const projectJobs = plannedJobs.filter((job) => job.project === project)
    for (const { fault, detail } of await verifyProject(client, project, projectJobs, host)) recordFault(fault, detail)
    if (project.access === 'app')
      for (const id of await listUnverifiedCommits(fixture, project, host, audited.token))
        recordFault('not verified', id)
    for (const decoy of project.decoys)
      run.check(
        await isDecoyUntouched(fixture, decoy),
        `a repository that took over the old name of ${project.repository.owner}'s repository is not touched`,
      )
  }
  run.check(
    [...counts.values()].every((count) => count === 0),
    `no job is lost, duplicated, wrong or still active: ${[...counts].map(([fault, count]) => `${fault} ${count}`).join(', ')}`,
  )
  run.figure('job faults found', [...counts].map(([fault, count]) => `${fault} ${count}`).join(', '))

  await fixture.owner.signInAgain()
  const changedConnections = (
    await Promise.all(fixture.projects.map((project) => findConnectionProblem(fixture, project)))
  ).filter((wrong) => wrong !== undefined)
  for (const wrong of changedConnections)
    run.check(false, `a connection stays as it was, with the new name of the repository: ${wrong}`)
  let attackerConnections = 0
  for (const attacker of attackers) {
    await attacker.person.signInAgain()
    if (await isConnectionUnchanged(attacker)) continue
    attackerConnections++
    run.check(false, `attackers cannot connect a foreign repository: ${attacker.login} did`)
  }
  run.check(
    changedConnections.length + attackerConnections === 0,
    `no repository is connected that should not be: ${changedConnections.length + attackerConnections}`,
  )
  run.figure('unauthorized connections', changedConnections.length + attackerConnections)
  const violations = await fixture.control.violations()
  run.check(
    violations.length === 0,
    `every call conforms to GitHub's OpenAPI description: ${JSON.stringify(violations[0])}`,
  )
}

async function reportFigures(
  run: ProofRun,
  { control, pool }: GithubFixture,
  plannedJobs: readonly TrackedJob[],
): Promise<void> {
  const turns = plannedJobs.reduce((count, { plan }) => count + plan.turns.length, 0)
  const cancels = plannedJobs.filter(({ plan }) => plan.cancelAfterSeconds !== undefined).length
  const [restarted] = (await pool.query<{ count: string }>('SELECT count(*) FROM turn WHERE restarted')).rows
  const calls = await control.calls()
  const count = (matches: (call: (typeof calls)[number]) => boolean) => calls.filter(matches).length
  const seconds = plannedJobs.map(
    ({ accepted, endedAtMs }) => ((endedAtMs ?? Number.NaN) - (accepted?.atMs ?? 0)) / 1000,
  )
  run.figure('jobs', `${plannedJobs.length} (${turns} turns, ${cancels} cancelled)`)
  run.figure('turns restarted because their base commit was gone', restarted?.count ?? 0)
  run.figure(
    'calls to GitHub',
    `${calls.length}; responses lost ${count(({ isLost }) => isLost)}, ` +
      `${count(({ isLost, method }) => isLost && method !== 'GET')} of writes; 5xx ${count(({ status }) => status >= 500)}, ` +
      `rate limited ${count(({ status }) => status === 403 || status === 429)}, 401 ${count(({ status }) => status === 401)}`,
  )
  run.figure('webhooks sent by GitHub', await describeDeliveries(control))
  run.figure('slowest job', `${Math.max(...seconds).toFixed(0)} s`)
}

async function describeDeliveries(control: GithubFixture['control']): Promise<string> {
  const deliveries = await control.deliveries()
  return `${deliveries.length}: ${deliveries.filter(({ isDropped }) => isDropped).length} dropped, the others late and some twice`
}
