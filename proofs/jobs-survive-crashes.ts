/**
 * Kills every process and service with SIGKILL again and again while jobs run, and loses responses of PostgreSQL and Gitea
 * after the work was done. At the end, every job has its planned outcome, and the code host contains exactly the results of the
 * jobs.
 *
 * `-- keep-logs` keeps the logs of the processes.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectedProject } from '../testing/harness/colophon.ts'
import { ProcessKiller } from '../testing/harness/process-killer.ts'
import { RetryingClient } from '../testing/harness/retrying-client.ts'
import { type KillableFixture, prepareKillableFixture } from './jobs-survive-crashes/fixture.ts'
import { readGiteaAuditTarget, readHostedRepositoryState } from './judges/hosted-repository-state.ts'
import { planJobs } from './judges/job-plans.ts'
import { runPlannedJob, type TrackedJob } from './judges/planned-job.ts'
import { type JobFaultKind, jobFaultKinds } from './judges/verify-job.ts'
import { verifyProject } from './judges/verify-project.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const guarantee =
  'Every accepted job finishes exactly once, even if any process is killed or a response is lost after the work was done'

const sizes = {
  ci: { jobs: 15, projectCount: 2, killsInFlight: 4, jobsPerKill: 2, settleSeconds: 240 },
  stated: { jobs: 300, projectCount: 10, killsInFlight: 30, jobsPerKill: 9, settleSeconds: 300 },
  full: { jobs: 1_000, projectCount: 34, killsInFlight: 100, jobsPerKill: 9, settleSeconds: 300 },
} as const

/** The share of calls to PostgreSQL and Gitea whose response is lost. */
const lostShare = 0.01
const jobsAtOnce = 14
const maxPauseMs = 45_000

export async function prove(run: ProofRun): Promise<void> {
  const { projectCount, killsInFlight, jobsPerKill, settleSeconds } = sizes[run.size]
  const fixture = await prepareKillableFixture(run, projectCount)
  const random = seededRandom(run.seed + 3)
  const killer = new ProcessKiller(random)
  await Promise.all(fixture.processes.map((target) => killer.start(target)))
  run.log(`everything is up: ${fixture.processes.length + fixture.services.length} processes to kill`)

  const retrying = new AbortController()
  const client = new RetryingClient(fixture.replicas, retrying.signal)
  const plannedJobs = createPlannedJobs(run, fixture.projects)
  const waiting = [...plannedJobs]
  const runNext = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await runPlannedJob(client, job).catch(
        (error: unknown) =>
          retrying.signal.aborted || run.check(false, `a planned job runs without an error in its client: ${error}`),
      )
    }
  }
  fixture.loseResponses(lostShare)
  const running = Promise.all(Array.from({ length: jobsAtOnce }, runNext)).then(() => 'done' as const)

  const killing = new AbortController()
  const pauseFor = (jobs: number) => () => waitForEndedJobs(plannedJobs, jobs * 2 * random(), killing.signal)
  const kills = Promise.all([
    killer.killInRounds(fixture.processes, pauseFor(jobsPerKill), killing.signal),
    killer.killInRounds(fixture.services, pauseFor(jobsPerKill * 2), killing.signal),
  ])
  const progress = setInterval(() => run.log(describeProgress(plannedJobs, killer)), 30_000)
  while (waiting.length > 0 || killer.inFlightCount < killsInFlight) {
    if ((await Promise.race([running, kills, sleep(500)])) === 'done') break
  }
  killing.abort()
  await kills
  run.log(`${describeProgress(plannedJobs, killer)}; everything is up again`)
  await Promise.race([running, sleep(settleSeconds * 1000)])
  clearInterval(progress)
  retrying.abort()
  await running
  fixture.loseResponses(0)

  await verify(run, fixture, plannedJobs)
  run.check(
    killer.inFlightCount >= killsInFlight,
    `at least ${killsInFlight} kills hit work in flight: ${killer.inFlightCount}`,
  )
  run.check(
    client.serverErrors.length === 0,
    `while a process is down, the only server error is 503: ${client.serverErrors[0]}`,
  )
  const crashed = killer.unexpectedExits.filter((kind) => kind === 'api' || kind === 'worker')
  run.check(crashed.length === 0, `api and worker never exit by themselves: ${crashed.join(', ')}`)
  reportFigures(run, { fixture, killer, client, plannedJobs })
}

function createPlannedJobs(run: ProofRun, projects: readonly ConnectedProject[]): TrackedJob[] {
  return planJobs(sizes[run.size].jobs, run.random).map((plan, index) => {
    const project = projects[index % projects.length]
    if (!project) throw new Error('the service has no project')
    return { plan, project, accepted: undefined, endedAtMs: undefined }
  })
}

const countEnded = (plannedJobs: readonly TrackedJob[]) =>
  plannedJobs.filter(({ endedAtMs }) => endedAtMs !== undefined).length

/** Kills keep pace with the jobs, so that their ratio does not depend on the machine, but wait only for a limited time. */
async function waitForEndedJobs(
  plannedJobs: readonly TrackedJob[],
  moreJobs: number,
  stop: AbortSignal,
): Promise<void> {
  const target = countEnded(plannedJobs) + moreJobs
  const deadline = Date.now() + maxPauseMs
  while (countEnded(plannedJobs) < target && Date.now() < deadline && !stop.aborted) await sleep(100)
}

const describeProgress = (plannedJobs: readonly TrackedJob[], killer: ProcessKiller) =>
  `${countEnded(plannedJobs)} of ${plannedJobs.length} jobs ended; ${killer.count} kills, ${killer.inFlightCount} with work in flight`

/** Reads everything again: the state of a job when it ended must still be its state when nothing runs any more. */
async function verify(run: ProofRun, fixture: KillableFixture, plannedJobs: readonly TrackedJob[]): Promise<void> {
  const client = new RetryingClient(fixture.replicas, AbortSignal.timeout(120_000))
  const counts = new Map<JobFaultKind, number>(jobFaultKinds.map((fault) => [fault, 0]))
  const recordFault = (fault: JobFaultKind, detail: string) => {
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    run.check(false, `${fault}: ${detail}`)
  }
  let outdatedPullRequests = 0
  for (const project of fixture.projects) {
    const host = await readHostedRepositoryState(await readGiteaAuditTarget(fixture.gitea, project.repository))
    const projectJobs = plannedJobs.filter((job) => job.project === project)
    for (const { fault, detail } of await verifyProject(client, project, projectJobs, host)) recordFault(fault, detail)
    outdatedPullRequests += host.pullRequests.filter(
      ({ branch, displayedCommit: shownCommit }) => shownCommit !== host.branches.get(branch)?.at(-1)?.id,
    ).length
  }
  run.check(
    [...counts.values()].every((count) => count === 0),
    `no job is lost, duplicated, wrong or still active: ${[...counts].map(([fault, count]) => `${fault} ${count}`).join(', ')}`,
  )
  // Gitea registers a push in a git hook of its own: if it is killed before, it shows an older commit than the branch has.
  run.figure('pull requests that Gitea shows with an outdated commit', outdatedPullRequests)
  run.figure('job faults found', [...counts].map(([fault, count]) => `${fault} ${count}`).join(', '))
}

function reportFigures(
  run: ProofRun,
  results: {
    fixture: KillableFixture
    killer: ProcessKiller
    client: RetryingClient
    plannedJobs: readonly TrackedJob[]
  },
): void {
  const { fixture, killer, client, plannedJobs } = results
  const { postgres, gitea } = fixture.lost
  const turns = plannedJobs.reduce((count, { plan }) => count + plan.turns.length, 0)
  const cancels = plannedJobs.filter(({ plan }) => plan.cancelAfterSeconds !== undefined).length
  const seconds = plannedJobs.map(
    ({ accepted, endedAtMs }) => ((endedAtMs ?? Number.NaN) - (accepted?.atMs ?? 0)) / 1000,
  )
  const killsByKind = [...killer.killsInFlight].map(([kind, count]) => `${kind} ${count}`).sort()
  run.figure('jobs', `${plannedJobs.length} (${turns} turns, ${cancels} cancelled)`)
  run.figure('kills', `${killer.count}, ${killer.inFlightCount} with work in flight: ${killsByKind.join(', ')}`)
  run.figure(
    'responses of PostgreSQL lost',
    `${postgres.lost} of ${postgres.calls} (${postgres.lostCommits} of commits)`,
  )
  run.figure('responses of Gitea lost', `${gitea.lost} of ${gitea.calls} (${gitea.lostWrites} of writes)`)
  run.figure('requests retried by clients', client.retries)
  run.figure('slowest job', `${Math.max(...seconds).toFixed(0)} s`)
}
