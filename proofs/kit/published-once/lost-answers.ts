/** The host does the work and its answer is lost; and two workers publish the same turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Loss, RelayedCall } from '../faulty-relay.ts'
import { pullRequestsOf } from '../hosts/host-person.ts'
import type { WatchedJobs } from '../watched-jobs.ts'
import { checkPullRequest } from './pull-requests.ts'
import { heartbeatTimeoutSeconds, type ProjectOnHost, type Scene, scriptFor } from './stage.ts'

/** After publishing, the one who follows pull requests takes a first look, which is no part of a turn. */
const firstLookMs = 1_500
/** And the other one has tried to take the turn over. */
const takenForDeadMs = (heartbeatTimeoutSeconds + 3) * 1000

/** A turn's call to the host: what it is, and which of its kind. */
interface HostCall {
  turn: 'first' | 'follow-up'
  name: string
  nth: number
}

/** Every call that a first turn and a follow-up make, found by playing both once. */
export async function callsOfAJob(scene: Scene, project: ProjectOnHost): Promise<HostCall[]> {
  const jobs = await scene.jobsOf(project)
  const callsSince = (start: number, turn: HostCall['turn'], number?: number) => {
    const counts = new Map<string, number>()
    return scene.host.calls.slice(start).flatMap((call): HostCall[] => {
      const name = nameOf(call, project, number)
      if (name === undefined) return []
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      return [{ turn, name, nth }]
    })
  }
  const beforeFirst = scene.host.calls.length
  const { id } = await jobs.begin(scriptFor(project).prompt)
  const { pullRequest } = await jobs.ended(id)
  const first = callsSince(beforeFirst, 'first')
  await sleep(firstLookMs)
  const beforeSecond = scene.host.calls.length
  await jobs.followUp(id, scriptFor(project).prompt)
  await jobs.ended(id)
  return [...first, ...callsSince(beforeSecond, 'follow-up', pullRequest?.number)]
}

export const isWrite = ({ name }: HostCall): boolean => !name.startsWith('GET') && !name.endsWith('git-upload-pack')

/** Plays a job of two turns in which this one call goes wrong. */
export async function callGoesWrong(
  scene: Scene,
  project: ProjectOnHost,
  { turn, name, nth }: HostCall,
  how: Loss,
): Promise<void> {
  const { check, host } = scene
  const jobs = await scene.jobsOf(project)
  const first = scriptFor(project)
  const second = scriptFor(project)
  const strike = (number?: number) => {
    let left = nth
    return host.lose(how, (call) => nameOf(call, project, number) === name && --left === 0)
  }
  const early = turn === 'first' ? strike() : undefined
  const { id } = await jobs.begin(first.prompt)
  const { pullRequest } = await jobs.ended(id)
  await sleep(firstLookMs)
  const late = turn === 'follow-up' ? strike(pullRequest?.number) : undefined
  await jobs.followUp(id, second.prompt)
  const job = await jobs.ended(id)
  check((early ?? late)?.struck() ?? false, `${name} came, and went wrong`)
  check(pullRequest?.number === job.pullRequest?.number, 'both turns have one pull request')
  const files = { ...first.write, ...second.write }
  await checkPullRequest({ check, docs: project }, jobs, job, { files, commits: 2 })
  const { body } = await project.person.pullRequest(job.pullRequest?.number ?? 0)
  check(body.includes(second.summary), 'and the body of the second turn')
}

/**
 * Without what differs from job to job and from project to project. Undefined: of another repository, about the pull request
 * of another job, or by the one who follows pull requests.
 */
function nameOf({ method, path }: RelayedCall, { person }: ProjectOnHost, number?: number): string | undefined {
  const [, rest] = path.split(person.repository)
  const [, about] = /\/pulls\/(\d+)$/.exec(path) ?? []
  if (rest === undefined || (about && Number(about) !== number) || isOfFollower.test(rest)) return undefined
  const name = rest
    .replace(/job_\w+/, 'JOB')
    .replaceAll(/[0-9a-f]{40}/g, 'COMMIT')
    .replace(/head=[^&]*/, 'head=BRANCH')
  return `${method} ${name.replace(/\d+$/, 'N')}`
}

const isOfFollower = /\/(issues\/\d+\/comments|check-runs|status(es)?|deployments)\b/

/**
 * The first worker's call is on its way to the host when it is thought dead, and another worker is given the turn.
 * `stands still`: the call arrives, and the first one goes on where it was, when all is over. `cut off`: it lives and works,
 * and only Temporal does not know.
 */
export async function twoWorkers(
  scene: Scene,
  first: 'stands still' | 'is cut off',
  at: 'puts' | 'opens',
): Promise<string> {
  const { check, docs, host, calls, worker, toTemporal } = scene
  const jobs = await scene.jobsOf(docs)
  const script = scriptFor(docs)
  const isMeant = (call: RelayedCall) => calls[at](call, id)
  const held = scene.agent.hold(script.prompt, 'worked')
  await toTemporal.spareWorker.cut()
  const { id } = await jobs.begin(script.prompt)
  await held.reached
  const call = host.hold('before', isMeant)
  held.release()
  await call.reached
  try {
    await toTemporal.spareWorker.mend()
    if (first === 'stands still') {
      worker.part.pause()
      await checkPullRequest(scene, jobs, await jobs.ended(id), { files: script.write, commits: 1 })
      check(host.calls.filter(isMeant).length === 2, 'both have called the host')
    } else {
      await toTemporal.worker.cut()
      await sleep(takenForDeadMs)
      check((await jobs.get(id)).status === 'active', 'the other one waits')
      check(host.calls.filter(isMeant).length === 1, 'and does not call the host')
    }
  } finally {
    call.release()
    worker.part.resume()
  }
  await checkPullRequest(scene, jobs, await jobs.ended(id), { files: script.write, commits: 1 })
  await toTemporal.worker.mend()
  await followUpWorks(scene, jobs, id, script.write)
  return 'one pull request, one commit'
}

const longerThanACallMs = 35_000

/**
 * The two calls for the pull request reach the host in the same moment, of which it makes two: the younger one is closed again,
 * and the job goes on with the other.
 */
export async function twoCallsTogether(scene: Scene): Promise<string> {
  const { check, docs, host, worker, toTemporal } = scene
  const jobs = await scene.jobsOf(docs)
  const script = scriptFor(docs)
  const held = scene.agent.hold(script.prompt, 'worked')
  await toTemporal.spareWorker.cut()
  const { id } = await jobs.begin(script.prompt)
  await held.reached
  const isMeant = (call: RelayedCall) => scene.calls.opens(call, id)
  const calls = [host.hold('before', isMeant), host.hold('before', isMeant)]
  held.release()
  await calls[0]?.reached
  worker.part.pause()
  try {
    await toTemporal.spareWorker.mend()
    await calls[1]?.reached
    for (const call of calls) call.release()
    await jobs.ended(id)
    await sleep(longerThanACallMs) // so that the one that stood still has lost its answer
  } finally {
    for (const call of calls) call.release()
    worker.part.resume()
  }
  const open = async () => (await pullRequestsOf(docs.person, id)).filter(({ state }) => state === 'open')
  for (const giveUpAt = Date.now() + 30_000; (await open()).length > 1 && Date.now() < giveUpAt; ) await sleep(100)
  const [left, ...more] = await open()
  check(left !== undefined && more.length === 0, `one pull request is left open, and ${more.length} more`)
  check((await jobs.get(id)).prLink === left?.url, 'it is the one that the job tells')
  const second = scriptFor(docs)
  await jobs.followUp(id, second.prompt)
  const job = await jobs.ended(id)
  check(job.prLink === left?.url, 'and that a follow-up goes to')
  check((await docs.person.commitsOf(left?.number ?? 0)).length === 2, 'one commit a turn')
  return `${(await pullRequestsOf(docs.person, id)).length} were made, one is left`
}

async function followUpWorks(scene: Scene, jobs: WatchedJobs, id: string, files: Record<string, string>) {
  const second = scriptFor(scene.docs)
  await jobs.followUp(id, second.prompt)
  const expected = { files: { ...files, ...second.write }, commits: 2 }
  await checkPullRequest(scene, jobs, await jobs.ended(id), expected)
}
