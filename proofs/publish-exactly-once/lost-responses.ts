/** The host does the work and its response is lost; and two workers publish the same turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listJobPullRequests } from '../../testing/harness/hosts/host-user-client.ts'
import type { LossKind, RelayedCall } from '../../testing/harness/relay/http-relay.ts'
import type { CheckingJobsClient } from '../judges/checking-jobs-client.ts'
import { createScript, heartbeatTimeoutSeconds, type ProjectOnHost, type ScenarioContext } from './fixture.ts'
import { checkPullRequest } from './pull-requests.ts'

/** The first poll of a pull request after publishing does not belong to the turn. */
const firstPollMs = 1_500
/** By then the other worker has tried to take over the turn. */
const takeoverMs = (heartbeatTimeoutSeconds + 3) * 1000

/** A call of a turn to the host, by its normalized name and position among calls of that name. */
interface HostCall {
  turn: 'first' | 'follow-up'
  name: string
  nth: number
}

/** Runs a first turn and a follow-up, and returns every call that they make to the host. */
export async function recordHostCalls(context: ScenarioContext, project: ProjectOnHost): Promise<HostCall[]> {
  const jobs = await context.watchJobs(project)
  const callsSince = (start: number, turn: HostCall['turn'], number?: number) => {
    const counts = new Map<string, number>()
    return context.hostCalls.slice(start).flatMap((call): HostCall[] => {
      const name = normalizedName(call, project, number)
      if (name === undefined) return []
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      return [{ turn, name, nth }]
    })
  }
  const beforeFirst = context.hostCalls.length
  const { id } = await jobs.createAccepted(createScript(project).prompt)
  const { pullRequest } = await jobs.waitUntilEnded(id)
  const first = callsSince(beforeFirst, 'first')
  await sleep(firstPollMs)
  const beforeSecond = context.hostCalls.length
  await jobs.followUp(id, createScript(project).prompt)
  await jobs.waitUntilEnded(id)
  return [...first, ...callsSince(beforeSecond, 'follow-up', pullRequest?.number)]
}

export const isWrite = ({ name }: HostCall): boolean => !name.startsWith('GET') && !name.endsWith('git-upload-pack')

/** Runs a job of two turns in which this one call fails. */
export async function runWithFailedCall(
  context: ScenarioContext,
  project: ProjectOnHost,
  { turn, name, nth }: HostCall,
  loss: LossKind,
): Promise<void> {
  const { check, host } = context
  const jobs = await context.watchJobs(project)
  const first = createScript(project)
  const second = createScript(project)
  const loseCall = (number?: number) => {
    let remaining = nth
    return host.loseNext(loss, (call) => normalizedName(call, project, number) === name && --remaining === 0)
  }
  const firstLoss = turn === 'first' ? loseCall() : undefined
  const { id } = await jobs.createAccepted(first.prompt)
  const { pullRequest } = await jobs.waitUntilEnded(id)
  await sleep(firstPollMs)
  const secondLoss = turn === 'follow-up' ? loseCall(pullRequest?.number) : undefined
  await jobs.followUp(id, second.prompt)
  const job = await jobs.waitUntilEnded(id)
  check((firstLoss ?? secondLoss)?.hasOccurred() ?? false, `${name} was called and failed as injected`)
  check(pullRequest?.number === job.pullRequest?.number, 'both turns share one pull request')
  const files = { ...first.write, ...second.write }
  await checkPullRequest({ check, docs: project }, jobs, job, { files, commits: 2 })
  const { body } = await project.person.pullRequest(job.pullRequest?.number ?? 0)
  check(body.includes(second.summary), "the body has the second turn's summary")
}

/**
 * The call without what differs between jobs and projects. Undefined for calls about another repository or another job's pull
 * request, and for those that poll pull requests.
 */
function normalizedName({ method, path }: RelayedCall, { person }: ProjectOnHost, number?: number): string | undefined {
  const [, rest] = path.split(person.repository)
  const [, pullRequestNumber] = /\/pulls\/(\d+)$/.exec(path) ?? []
  if (rest === undefined || (pullRequestNumber && Number(pullRequestNumber) !== number) || isPoll.test(rest))
    return undefined
  const name = rest
    .replace(/job_\w+/, 'JOB')
    .replaceAll(/[0-9a-f]{40}/g, 'COMMIT')
    .replace(/head=[^&]*/, 'head=BRANCH')
  return `${method} ${name.replace(/\d+$/, 'N')}`
}

const isPoll = /\/(issues\/\d+\/comments|check-runs|status(es)?|deployments)\b/

/**
 * The first worker's call is in flight to the host when the worker is considered dead and another worker gets the turn.
 * `paused`: the call arrives and the first worker resumes after the turn has ended. `disconnected`: the worker runs, but has
 * lost Temporal.
 */
export async function publishFromTwoWorkersScenario(
  context: ScenarioContext,
  first: 'paused' | 'disconnected',
  at: 'pushes' | 'opensPullRequest',
): Promise<string> {
  const { check, docs, host, calls, worker, temporalRelays } = context
  const jobs = await context.watchJobs(docs)
  const script = createScript(docs)
  const isTargetCall = (call: RelayedCall) => calls[at](call, id)
  const held = context.agent.pauseNext(script.prompt, 'finished')
  await temporalRelays.spareWorker.setFault({ kind: 'cut' })
  const { id } = await jobs.createAccepted(script.prompt)
  await held.reached
  const call = host.holdNext('before', isTargetCall)
  held.release()
  await call.reached
  try {
    await temporalRelays.spareWorker.setFault({ kind: 'none' })
    if (first === 'paused') {
      worker.process.pause()
      await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), { files: script.write, commits: 1 })
      check(context.hostCalls.filter(isTargetCall).length === 2, 'both workers called the host')
    } else {
      await temporalRelays.worker.setFault({ kind: 'cut' })
      await sleep(takeoverMs)
      check(
        (await jobs.get(id)).status === 'active',
        'the job is still active while the first worker has the publish lease',
      )
      check(context.hostCalls.filter(isTargetCall).length === 1, 'the second worker does not call the host')
    }
  } finally {
    call.release()
    worker.process.resume()
  }
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), { files: script.write, commits: 1 })
  await temporalRelays.worker.setFault({ kind: 'none' })
  await checkFollowUp(context, jobs, id, script.write)
  return 'one pull request, one commit'
}

const longerThanCallTimeoutMs = 35_000

/**
 * Both workers' calls to open the pull request reach the host at the same time, and it opens two. Colophon closes the newer one,
 * and the job continues with the other.
 */
export async function openPullRequestTwiceScenario(context: ScenarioContext): Promise<string> {
  const { check, docs, host, worker, temporalRelays } = context
  const jobs = await context.watchJobs(docs)
  const script = createScript(docs)
  const held = context.agent.pauseNext(script.prompt, 'finished')
  await temporalRelays.spareWorker.setFault({ kind: 'cut' })
  const { id } = await jobs.createAccepted(script.prompt)
  await held.reached
  const isTargetCall = (call: RelayedCall) => context.calls.opensPullRequest(call, id)
  const calls = [host.holdNext('before', isTargetCall), host.holdNext('before', isTargetCall)]
  held.release()
  await calls[0]?.reached
  worker.process.pause()
  try {
    await temporalRelays.spareWorker.setFault({ kind: 'none' })
    await calls[1]?.reached
    for (const call of calls) call.release()
    await jobs.waitUntilEnded(id)
    await sleep(longerThanCallTimeoutMs) // so that the call of the paused worker has timed out
  } finally {
    for (const call of calls) call.release()
    worker.process.resume()
  }
  const openPullRequests = async () =>
    (await listJobPullRequests(docs.person, id)).filter(({ state }) => state === 'open')
  for (const deadline = Date.now() + 30_000; (await openPullRequests()).length > 1 && Date.now() < deadline; )
    await sleep(100)
  const [kept, ...extra] = await openPullRequests()
  check(kept !== undefined && extra.length === 0, `one pull request stays open, got ${extra.length} more`)
  check((await jobs.get(id)).prLink === kept?.url, 'prLink is the open pull request')
  const second = createScript(docs)
  await jobs.followUp(id, second.prompt)
  const job = await jobs.waitUntilEnded(id)
  check(job.prLink === kept?.url, 'a follow-up uses the open pull request')
  check(
    (await docs.person.pullRequestCommits(kept?.number ?? 0)).length === 2,
    'the pull request has one commit per turn',
  )
  return `${(await listJobPullRequests(docs.person, id)).length} pull requests opened, one left open`
}

async function checkFollowUp(
  context: ScenarioContext,
  jobs: CheckingJobsClient,
  id: string,
  files: Record<string, string>,
) {
  const second = createScript(context.docs)
  await jobs.followUp(id, second.prompt)
  const expected = { files: { ...files, ...second.write }, commits: 2 }
  await checkPullRequest(context, jobs, await jobs.waitUntilEnded(id), expected)
}
