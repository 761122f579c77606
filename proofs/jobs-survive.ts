/**
 * Everything is killed with -9 again and again while jobs run, and answers of PostgreSQL and Gitea get lost after the work was
 * done. At the end every job is where its script says, and the code host holds exactly what the jobs say.
 *
 * `-- keep-logs` keeps what the processes logged.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { onGitea, readHost } from './kit/host-audit.ts'
import { planJobs } from './kit/job-plans.ts'
import { type Fault, faults } from './kit/judge-job.ts'
import { judgeProject } from './kit/judge-project.ts'
import { Killer } from './kit/mortal-parts.ts'
import { type MortalProject, type MortalService, prepareMortalService } from './kit/mortal-service.ts'
import { PatientClient } from './kit/patient-client.ts'
import { type PlayedJob, playJob } from './kit/played-job.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const promise = 'Whatever is killed, every accepted job ends, once, and as it should'

const sizes = {
  ci: { jobs: 15, projectCount: 2, killsInFlight: 4, jobsPerKill: 2, settleSeconds: 240 },
  stated: { jobs: 300, projectCount: 10, killsInFlight: 30, jobsPerKill: 9, settleSeconds: 300 },
  full: { jobs: 1_000, projectCount: 34, killsInFlight: 100, jobsPerKill: 9, settleSeconds: 300 },
} as const

/** Of the calls to PostgreSQL and Gitea. */
const lostShare = 0.01
const jobsAtOnce = 14
const maxPauseMs = 45_000

export async function prove(run: ProofRun): Promise<void> {
  const { projectCount, killsInFlight, jobsPerKill, settleSeconds } = sizes[run.size]
  const service = await prepareMortalService(run, { projectCount, keepLogs: run.words.includes('keep-logs') })
  const chance = seededRandom(run.seed + 3)
  const killer = new Killer(chance)
  await Promise.all(service.processes.map((part) => killer.start(part)))
  run.say(`everything is up: ${service.processes.length + service.services.length} parts to kill`)

  const patience = new AbortController()
  const client = new PatientClient(service.replicas, patience.signal)
  const played = playedJobs(run, service.projects)
  const waiting = [...played]
  const playNext = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      await playJob(client, job).catch((error: unknown) => patience.signal.aborted || run.check(false, String(error)))
    }
  }
  service.loseResponses(lostShare)
  const playing = Promise.all(Array.from({ length: jobsAtOnce }, playNext)).then(() => 'played' as const)

  const killing = new AbortController()
  const pauseFor = (jobs: number) => () => untilEnded(played, jobs * 2 * chance(), killing.signal)
  const deaths = Promise.all([
    killer.killInTurns(service.processes, pauseFor(jobsPerKill), killing.signal),
    killer.killInTurns(service.services, pauseFor(jobsPerKill * 2), killing.signal),
  ])
  const progress = setInterval(() => run.say(progressOf(played, killer)), 30_000)
  while (waiting.length > 0 || killer.inFlightCount < killsInFlight) {
    if ((await Promise.race([playing, deaths, sleep(500)])) === 'played') break
  }
  killing.abort()
  await deaths
  run.say(`${progressOf(played, killer)}; everything is up again`)
  await Promise.race([playing, sleep(settleSeconds * 1000)])
  clearInterval(progress)
  patience.abort()
  await playing
  service.loseResponses(0)

  await judge(run, service, played)
  run.check(killer.inFlightCount >= killsInFlight, `at least ${killsInFlight} kills hit work in flight`)
  run.check(client.faults.length === 0, `a part that is away is 503, never a fault of ours: ${client.faults[0]}`)
  const fallen = killer.endedByThemselves.filter((kind) => kind === 'api' || kind === 'worker')
  run.check(fallen.length === 0, `no process of ours ends by itself: ${fallen.join(', ')}`)
  giveFigures(run, { service, killer, client, played })
}

function playedJobs(run: ProofRun, projects: readonly MortalProject[]): PlayedJob[] {
  return planJobs(sizes[run.size].jobs, run.random).map((plan, index) => {
    const project = projects[index % projects.length]
    if (!project) throw new Error('there is a project')
    return { plan, project, accepted: undefined, endedAtMs: undefined }
  })
}

const countEnded = (played: readonly PlayedJob[]) => played.filter(({ endedAtMs }) => endedAtMs !== undefined).length

/** Kills keep step with the work, however fast the machine is; but they do not wait for ever. */
async function untilEnded(played: readonly PlayedJob[], moreJobs: number, stop: AbortSignal): Promise<void> {
  const wanted = countEnded(played) + moreJobs
  const until = Date.now() + maxPauseMs
  while (countEnded(played) < wanted && Date.now() < until && !stop.aborted) await sleep(100)
}

const progressOf = (played: readonly PlayedJob[], killer: Killer) =>
  `${countEnded(played)} of ${played.length} jobs ended; ` + `${killer.count} kills, ${killer.inFlightCount} in flight`

/** Everything is read anew: what a job said when it ended must still hold when nothing moves any more. */
async function judge(run: ProofRun, service: MortalService, played: readonly PlayedJob[]): Promise<void> {
  const client = new PatientClient(service.replicas, AbortSignal.timeout(120_000))
  const counts = new Map<Fault, number>(faults.map((fault) => [fault, 0]))
  const note = (fault: Fault, what: string) => {
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    run.check(false, `${fault}: ${what}`)
  }
  let shownBehind = 0
  for (const project of service.projects) {
    const host = await readHost(await onGitea(service.gitea, project.repository))
    const ofProject = played.filter((job) => job.project === project)
    for (const { fault, what } of await judgeProject(client, project, ofProject, host)) note(fault, what)
    shownBehind += host.pullRequests.filter(
      ({ branch, shownCommit }) => shownCommit !== host.branches.get(branch)?.at(-1)?.id,
    ).length
  }
  run.check(
    [...counts.values()].every((count) => count === 0),
    'nothing is lost, nothing is there twice, nothing is still active',
  )
  // Gitea learns of a push in a hook of its own: killed in between, it knows less than its repository holds.
  run.figure('pull requests that Gitea itself shows behind their branch', shownBehind)
  run.figure('faults', [...counts].map(([fault, count]) => `${fault} ${count}`).join(', '))
}

function giveFigures(
  run: ProofRun,
  parts: { service: MortalService; killer: Killer; client: PatientClient; played: readonly PlayedJob[] },
): void {
  const { service, killer, client, played } = parts
  const { postgres, gitea } = service.lost
  const turns = played.reduce((count, { plan }) => count + plan.turns.length, 0)
  const cancels = played.filter(({ plan }) => plan.cancelAfterSeconds !== undefined).length
  const seconds = played.map(({ accepted, endedAtMs }) => ((endedAtMs ?? Number.NaN) - (accepted?.atMs ?? 0)) / 1000)
  const byVictim = [...killer.killsInFlight].map(([kind, count]) => `${kind} ${count}`).sort()
  run.figure('jobs, turns, cancels', `${played.length}, ${turns}, ${cancels}`)
  run.figure('kills', `${killer.count}, in flight ${killer.inFlightCount}: ${byVictim.join(', ')}`)
  run.figure('answers lost by PostgreSQL', `${postgres.lost} of ${postgres.calls}, ${postgres.lostCommits} of commits`)
  run.figure('answers lost by Gitea', `${gitea.lost} of ${gitea.calls}, ${gitea.lostWrites} of writes`)
  run.figure('requests that clients repeated', client.repeats)
  run.figure('slowest job, seconds', Math.max(...seconds).toFixed(0))
}
