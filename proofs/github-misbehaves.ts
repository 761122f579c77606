/**
 * GitHub, as bad as it can be while jobs run: answers get lost after the work was done, it is away for seconds, limits calls,
 * ends tokens in mid-publish, renames repositories; people rewrite the base branch; strangers forge and replay webhooks and try to
 * bind repositories that are not theirs. GitHub is the stand-in, held to GitHub's own description.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attack,
  type Attacker,
  attack,
  attacks,
  isBoundAsBefore,
  makeAttacker,
} from './kit/github-misbehaves/attackers.ts'
import { isBoundAsConnected, isUntouched, listUnverified, onGithub } from './kit/github-misbehaves/audit.ts'
import { type HookTrick, hookTricks, trickHooks } from './kit/github-misbehaves/hooks.ts'
import { type Mischief, makeMischief, mischiefs } from './kit/github-misbehaves/mischief.ts'
import { type GithubStage, setGithubStage } from './kit/github-misbehaves/stage.ts'
import { Tally } from './kit/github-misbehaves/tally.ts'
import { readHost } from './kit/host-audit.ts'
import { planJobs } from './kit/job-plans.ts'
import { type Fault, faults } from './kit/judge-job.ts'
import { judgeProject } from './kit/judge-project.ts'
import { PatientClient } from './kit/patient-client.ts'
import { type PlayedJob, playJob } from './kit/played-job.ts'
import { type ProofRun, seededRandom } from './proof.ts'

export const promise =
  'However GitHub misbehaves, jobs end as they should, once, and nobody is bound to a repository that is not theirs'

const longer = { awaySeconds: { least: 5, most: 20 }, maxPauseMs: 15_000 } as const
const sizes = {
  ci: { jobs: 20, projectCount: 4, awaySeconds: { least: 3, most: 5 }, maxPauseMs: 5_000, expiredInMidPublish: 1 },
  stated: { jobs: 200, projectCount: 10, expiredInMidPublish: 10, ...longer },
  full: { jobs: 1_000, projectCount: 40, expiredInMidPublish: 50, ...longer },
} as const

/** Of the jobs of one project. */
const jobsPerMischief = 1.2
/** Most of them wait for GitHub most of the time. */
const jobsAtOnce = 40
const settleSeconds = 300

export async function prove(run: ProofRun): Promise<void> {
  const { jobs, projectCount, awaySeconds, maxPauseMs, expiredInMidPublish } = sizes[run.size]
  const stage = await setGithubStage(run, projectCount)
  const attackers = [await makeAttacker(stage, 'eve'), await makeAttacker(stage, 'mallory')]
  run.say(`${projectCount} projects are connected`)

  const patience = new AbortController()
  const client = new PatientClient([{ url: stage.api.url, openWrites: 0 }], patience.signal)
  const played = planJobs(jobs, run.random).map((plan, index): PlayedJob => {
    const project = stage.projects[index % stage.projects.length]
    if (!project) throw new Error('there is a project')
    return { plan, project, accepted: undefined, endedAtMs: undefined }
  })
  const waiting = [...played]
  const inPlay = new Set<PlayedJob>()
  const playNext = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      inPlay.add(job)
      await playJob(client, job).catch((error: unknown) => patience.signal.aborted || run.check(false, String(error)))
      inPlay.delete(job)
    }
  }

  const mischief = new Tally<Mischief>(mischiefs)
  const hooks = new Tally<HookTrick>(hookTricks)
  const attempts = new Tally<Attack>(attacks)
  const calm = new AbortController()
  const stop = calm.signal
  let seed = run.seed + 10
  const dice = () => seededRandom(++seed)
  const misbehaving = Promise.all([
    ...stage.projects.map((project, index) => {
      const random = dice()
      const pause = () => {
        const moreJobs = random() * 2 * jobsPerMischief * projectCount
        return untilEnded(played, moreJobs, Date.now() + maxPauseMs, stop)
      }
      const parts = { stage, tally: mischief, random, awaySeconds, pause, inPlay, stop }
      return makeMischief(parts, project, index)
    }),
    trickHooks(run, stage, { tally: hooks, random: dice(), stop }),
    ...attackers.map((attacker) => attack(run, stage, attacker, { tally: attempts, random: dice(), stop })),
  ])
  const broken = misbehaving.then(
    () => {},
    (error: unknown) => run.check(false, `misbehaving: ${error instanceof Error ? error.stack : error}`),
  )
  const progress = setInterval(() => run.say(progressOf(played, mischief)), 30_000)
  const playing = Promise.all(Array.from({ length: jobsAtOnce }, playNext)).then(() => 'played' as const)

  while (waiting.length > 0) if ((await Promise.race([playing, sleep(500)])) === 'played') break
  await Promise.race([playing, sleep(settleSeconds * 1000)])
  calm.abort()
  await broken
  await Promise.race([playing, sleep(settleSeconds * 1000)])
  clearInterval(progress)
  patience.abort()
  await playing
  run.say(`${progressOf(played, mischief)}; GitHub behaves again`)

  await judge(run, stage, { played, attackers })
  // Some jobs end too soon for everything to happen to them.
  if (run.size !== 'ci') {
    for (const tally of [mischief, hooks, attempts])
      run.check(tally.missing.length === 0, `everything was tried: not ${tally.missing.join(', ')}`)
  }
  const inMidPublish = mischief.of('of these in mid-publish')
  run.check(inMidPublish >= expiredInMidPublish, `tokens expired in mid-publish ${expiredInMidPublish} times`)
  run.check(client.faults.length === 0, `GitHub's faults are never ours: ${client.faults[0]}`)
  await giveFigures(run, stage, played)
  run.figure('on GitHub', String(mischief))
  run.figure('webhooks', String(hooks))
  run.figure('tries to bind what is not theirs', String(attempts))
}

const countEnded = (played: readonly PlayedJob[]) => played.filter(({ endedAtMs }) => endedAtMs !== undefined).length

/** Misbehaviour keeps step with the work, however fast the machine is; but it does not wait for ever. */
async function untilEnded(played: readonly PlayedJob[], moreJobs: number, untilMs: number, stop: AbortSignal) {
  const wanted = countEnded(played) + moreJobs
  while (countEnded(played) < wanted && Date.now() < untilMs && !stop.aborted) await sleep(100)
}

const progressOf = (played: readonly PlayedJob[], mischief: Tally<Mischief>) =>
  `${countEnded(played)} of ${played.length} jobs ended; ${mischief}`

/** Everything is read anew. */
async function judge(
  run: ProofRun,
  stage: GithubStage,
  { played, attackers }: { played: readonly PlayedJob[]; attackers: readonly Attacker[] },
): Promise<void> {
  const client = new PatientClient([{ url: stage.api.url, openWrites: 0 }], AbortSignal.timeout(300_000))
  const counts = new Map<Fault | 'not verified', number>(
    [...faults, 'not verified' as const].map((fault) => [fault, 0]),
  )
  const note = (fault: Fault | 'not verified', what: string) => {
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    run.check(false, `${fault}: ${what}`)
  }
  for (const project of stage.projects) {
    const audited = await onGithub(stage, project)
    const host = await readHost(audited)
    const ofProject = played.filter((job) => job.project === project)
    for (const { fault, what } of await judgeProject(client, project, ofProject, host)) note(fault, what)
    if (project.access === 'app')
      for (const id of await listUnverified(stage, project, host, audited.token)) note('not verified', id)
    for (const decoy of project.decoys)
      run.check(
        await isUntouched(stage, decoy),
        `what only has the old name of ${project.repository.owner}'s is let be`,
      )
  }
  run.check(
    [...counts.values()].every((count) => count === 0),
    'nothing is lost, nothing is there twice, nothing is still active',
  )
  run.figure('faults', [...counts].map(([fault, count]) => `${fault} ${count}`).join(', '))

  await stage.owner.signInAgain()
  const wronglyBound = (await Promise.all(stage.projects.map((project) => isBoundAsConnected(stage, project)))).filter(
    (wrong) => wrong !== undefined,
  )
  for (const wrong of wronglyBound) run.check(false, `bound as it was connected, and known by its new name: ${wrong}`)
  let boundByAttack = 0
  for (const attacker of attackers) {
    await attacker.person.signInAgain()
    if (await isBoundAsBefore(attacker)) continue
    boundByAttack++
    run.check(false, `${attacker.login} is bound to what is not theirs`)
  }
  run.check(wronglyBound.length + boundByAttack === 0, 'nobody is bound who should not be')
  run.figure('bound who should not be', wronglyBound.length + boundByAttack)
  const violations = await stage.control.violations()
  run.check(violations.length === 0, `GitHub's description has no fault to find: ${JSON.stringify(violations[0])}`)
}

async function giveFigures(run: ProofRun, { control, pool }: GithubStage, played: readonly PlayedJob[]): Promise<void> {
  const turns = played.reduce((count, { plan }) => count + plan.turns.length, 0)
  const cancels = played.filter(({ plan }) => plan.cancelAfterSeconds !== undefined).length
  const [again] = (await pool.query<{ count: string }>('SELECT count(*) FROM turn WHERE restarted')).rows
  const calls = await control.calls()
  const count = (isMeant: (call: (typeof calls)[number]) => boolean) => calls.filter(isMeant).length
  const seconds = played.map(({ accepted, endedAtMs }) => ((endedAtMs ?? Number.NaN) - (accepted?.atMs ?? 0)) / 1000)
  run.figure('jobs, turns, cancels', `${played.length}, ${turns}, ${cancels}`)
  run.figure('turns performed once more, because their base was gone', again?.count ?? 0)
  run.figure(
    'calls to GitHub',
    `${calls.length}; answers lost ${count(({ isLost }) => isLost)}, ` +
      `of writes ${count(({ isLost, method }) => isLost && method !== 'GET')}; 5xx ${count(({ status }) => status >= 500)}, ` +
      `limited ${count(({ status }) => status === 403 || status === 429)}, 401 ${count(({ status }) => status === 401)}`,
  )
  run.figure('webhooks that GitHub sent', await describeDeliveries(control))
  run.figure('slowest job, seconds', Math.max(...seconds).toFixed(0))
}

async function describeDeliveries(control: GithubStage['control']): Promise<string> {
  const deliveries = await control.deliveries()
  return `${deliveries.length}, dropped ${deliveries.filter(({ isDropped }) => isDropped).length}, the others late and some twice`
}
