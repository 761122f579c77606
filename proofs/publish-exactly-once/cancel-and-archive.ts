/** Cancelling and archiving a job at every point of a turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn } from '../../server/src/runner-wire/runner-wire.ts'
import { listJobBranches, listJobPullRequests } from '../../testing/harness/hosts/host-user-client.ts'
import type { CheckingJobsClient, JobHttpResponse } from '../judges/checking-jobs-client.ts'
import { createScript, type ScenarioContext } from './fixture.ts'
import { checkPullRequest } from './pull-requests.ts'

export type StopAction = 'cancel' | 'archive'

export interface StopPoint {
  point: string
  /** No other scenario may run, because the worker is paused. */
  isExclusive?: boolean
  /** Cancel first, then archive: if they ran concurrently, each would claim the other's turn. */
  isSequential?: boolean
  run(context: ScenarioContext, stop: StopAction): Promise<void>
}

/** Short enough to observe an intermediate state. */
const fastPollMs = 15

/** In the order of a turn's lifecycle. Queued and not yet dispatched is covered by the scenarios without Temporal. */
export const stopPoints: readonly StopPoint[] = [
  {
    point: 'attempt queued',
    run: async (context, stop) => {
      const jobs = await context.watchJobs(context.docsWithoutRunners)
      const { id } = await jobs.createAccepted(createScript(context.docsWithoutRunners).prompt)
      await jobs.waitUntilMessage(id, 1, ['running'])
      await stopAndCheck(context, jobs, id, stop)
    },
  },

  {
    point: 'attempt claimed',
    run: (context, stop) => stopWhileHeld(context, stop, { at: 'claimed', hearsStop: true, afterMs: 0 }),
  },

  {
    point: 'agent running',
    run: (context, stop) => stopWhileHeld(context, stop, { at: 'claimed', hearsStop: true, afterMs: 1_500 }),
  },

  {
    point: 'runner ignores the stop',
    run: (context, stop) => stopWhileHeld(context, stop, { at: 'finished', hearsStop: false, afterMs: 0 }),
  },

  {
    point: 'agent fails after the stop',
    run: (context, stop) =>
      stopWhileHeld(context, stop, { at: 'claimed', hearsStop: false, afterMs: 0 }, 'agent_failed'),
  },

  {
    point: 'runner releases the attempt after the stop',
    run: (context, stop) => stopWhileHeld(context, stop, { at: 'claimed', hearsStop: false, afterMs: 0 }, 'released'),
  },

  {
    point: 'runner dies',
    isSequential: true,
    run: async (context, stop) => {
      const jobs = await context.watchJobs(context.docsWithoutRunners)
      const { id } = await jobs.createAccepted(createScript(context.docsWithoutRunners).prompt)
      await claimAndDie(context, (await jobs.messages(id))[0]?.prompt)
      await stopAndCheck(context, jobs, id, stop)
    },
  },

  {
    point: 'result uploaded',
    isExclusive: true,
    run: async (context, stop) => {
      const { agent, docs, check } = context
      const jobs = await context.watchJobs(docs)
      const script = createScript(docs)
      const held = agent.pauseNext(script.prompt, 'finished')
      const { id } = await jobs.createAccepted(script.prompt)
      await held.reached
      const end = await withWorkerPaused(
        context,
        async () => {
          held.release()
          while (context.acceptedResultCount(script.prompt) === 0) await sleep(1)
        },
        async () => {
          const [turn] = await jobs.messages(id)
          check(
            turn?.status === 'running' || turn?.status === 'publishing',
            `the turn is running or publishing, got ${turn?.status}`,
          )
          await requestStop(context, jobs, id, stop)
          return turn?.status === 'publishing' ? 'published' : 'stopped'
        },
      )
      await checkEnd(context, jobs, id, stop, end)
    },
  },

  {
    point: 'push in flight',
    run: (context, stop) => stopWhilePublishing(context, stop, 'before', 'pushes'),
  },

  {
    point: 'pull request opened, response in flight',
    run: (context, stop) => stopWhilePublishing(context, stop, 'after', 'opensPullRequest'),
  },

  {
    point: 'publishing while the branch moves',
    run: async (context, stop) => {
      const { docs, host, calls, check } = context
      const jobs = await context.watchJobs(docs)
      const first = createScript(docs)
      const { id } = await jobs.createAccepted(first.prompt)
      const { pullRequest } = await jobs.waitUntilEnded(id)
      const push = host.holdNext('before', (call) => calls.pushes(call, id))
      await jobs.followUp(id, createScript(docs, { write: { [first.page]: 'The agent says so.\n' } }).prompt)
      await push.reached
      await docs.person.push(pullRequest?.branch ?? '', first.page, 'A person says otherwise.\n')
      await requestStop(context, jobs, id, stop)
      push.release()
      const job = await jobs.waitUntilEnded(id, fastPollMs)
      check(
        job.status === (stop === 'cancel' ? 'failed' : 'archived'),
        `the job is ${stop === 'cancel' ? 'failed' : 'archived'}, got ${job.status}`,
      )
      check(
        job.outcome === 'cancelled' && job.prLink === pullRequest?.url,
        `the outcome is cancelled and prLink is kept, got ${job.outcome}, ${job.prLink}`,
      )
      const commits = await docs.person.pullRequestCommits(pullRequest?.number ?? 0)
      check(commits.length === 2, `Colophon pushed nothing more, got ${commits.length} commits`)
    },
  },

  {
    point: 'between two turns',
    isExclusive: true,
    run: async (context, stop) => {
      const { agent, docs, check } = context
      const jobs = await context.watchJobs(docs)
      const first = createScript(docs)
      const second = createScript(docs)
      const held = agent.pauseNext(first.prompt, 'claimed')
      agent.pauseNext(second.prompt, 'claimed')
      const { id } = await jobs.createAccepted(first.prompt)
      await held.reached
      await jobs.followUp(id, second.prompt)
      held.release()
      await jobs.waitUntilMessage(id, 1, ['publishing', 'completed'])
      const wasRunning = await withWorkerPaused(
        context,
        () => jobs.waitUntilMessage(id, 1, ['completed']),
        async () => {
          const states = (await jobs.messages(id)).map(({ status }) => status)
          await requestStop(context, jobs, id, stop)
          return states[1] === 'running'
        },
      )
      const job = await jobs.waitUntilEnded(id, fastPollMs)
      check(
        job.status === (stop === 'cancel' ? 'failed' : 'archived'),
        `the job is ${stop === 'cancel' ? 'failed' : 'archived'}, got ${job.status}`,
      )
      check(job.outcome === 'cancelled', `the outcome is cancelled, got ${job.outcome}`)
      check(jobs.history(id) === `active → ${job.status}`, `the status changes in one step, got ${jobs.history(id)}`)
      const states = (await jobs.messages(id)).map(({ status }) => status).join()
      check(
        states === `completed,${wasRunning ? 'failed' : 'dropped'}`,
        `the first turn is completed and the second ${wasRunning ? 'failed' : 'dropped'}, got ${states}`,
      )
      const all = await listJobPullRequests(docs.person, id)
      check(all.length === 1 && job.prLink === all[0]?.url, 'the pull request of the first turn is kept')
    },
  },

  {
    point: 'job ended',
    run: async (context, stop) => {
      const { docs, check } = context
      const jobs = await context.watchJobs(docs)
      const script = createScript(docs)
      const { id } = await jobs.createAccepted(script.prompt)
      const ended = await jobs.waitUntilEnded(id)
      const response = await jobs[stop](id)
      if (stop === 'cancel') {
        check(
          response.status === 409 && response.code === 'not_cancellable',
          `cancel gets 409 not_cancellable, got ${response.status} ${response.code}`,
        )
        check((await jobs.get(id)).status === 'completed', 'the job stays completed')
        return
      }
      check(
        response.job.status === 'archived' && response.job.prLink === ended.prLink,
        'the job is archived at once and keeps prLink',
      )
      await checkPullRequest(context, jobs, response.job, { files: script.write, commits: 1, status: 'archived' })
      await checkFinal(context, jobs, id)
    },
  },
]

/** Cancels a job and then sends it a message; then cancels and archives it. */
export async function cancelThenContinueScenario(context: ScenarioContext): Promise<string> {
  const { agent, docs, check } = context
  const jobs = await context.watchJobs(docs)
  const first = createScript(docs)
  const second = createScript(docs)
  const held = agent.pauseNext(first.prompt, 'claimed')
  const { id } = await jobs.createAccepted(first.prompt)
  await held.reached
  await jobs.cancel(id)
  await jobs.followUp(id, second.prompt)
  const job = await jobs.waitUntilEnded(id)
  await checkPullRequest(context, jobs, job, { files: second.write, commits: 1 })
  check(
    jobs.history(id) === 'active → completed',
    `a message after a cancel continues the job, got ${jobs.history(id)}`,
  )

  const third = createScript(docs)
  const heldAgain = agent.pauseNext(third.prompt, 'claimed', { obeysStop: false })
  await jobs.followUp(id, third.prompt)
  await heldAgain.reached
  await jobs.cancel(id)
  await jobs.archive(id)
  const { code } = await jobs.message(id, third.prompt)
  check(code === 'job_archived', `a message to a job that is being archived gets job_archived, got ${code}`)
  heldAgain.release()
  const archived = await jobs.waitUntilEnded(id, fastPollMs)
  check(archived.status === 'archived', `archiving overrides cancelling, got ${archived.status}`)
  check(
    jobs.history(id) === 'active → completed → active → archived',
    `the status changes in one step, got ${jobs.history(id)}`,
  )
  await checkFinal(context, jobs, id)
  return 'a message after a cancel continues the job; archiving overrides cancelling'
}

interface PausePoint {
  at: 'claimed' | 'finished'
  hearsStop: boolean
  afterMs: number
}

async function stopWhileHeld(
  context: ScenarioContext,
  stop: StopAction,
  { at, hearsStop, afterMs }: PausePoint,
  endAs?: 'agent_failed' | 'released',
): Promise<void> {
  const { agent, docs } = context
  const jobs = await context.watchJobs(docs)
  const script = createScript(docs, endAs && { endAs })
  const held = agent.pauseNext(script.prompt, at, { obeysStop: hearsStop })
  const { id } = await jobs.createAccepted(script.prompt)
  await held.reached
  await jobs.followUp(id, createScript(docs).prompt) // must be dropped
  await sleep(afterMs)
  await requestStop(context, jobs, id, stop)
  if (!hearsStop) held.release()
  await checkEnd(context, jobs, id, stop, 'stopped')
}

async function stopWhilePublishing(
  context: ScenarioContext,
  stop: StopAction,
  when: 'before' | 'after',
  which: 'pushes' | 'opensPullRequest',
): Promise<void> {
  const { docs, host, calls } = context
  const jobs = await context.watchJobs(docs)
  const script = createScript(docs)
  const held = context.agent.pauseNext(script.prompt, 'claimed')
  const { id } = await jobs.createAccepted(script.prompt)
  const call = host.holdNext(when, (call) => calls[which](call, id))
  await held.reached
  await jobs.followUp(id, createScript(docs).prompt) // must be dropped
  held.release()
  await call.reached
  await requestStop(context, jobs, id, stop)
  await sleep(300) // the job must not end before the host has responded
  context.check((await jobs.get(id)).status === 'active', 'a publishing turn completes before the job ends')
  call.release()
  await checkEnd(context, jobs, id, stop, 'published')
  const status = stop === 'cancel' ? 'completed' : 'archived'
  await checkPullRequest(context, jobs, await jobs.get(id), { files: script.write, commits: 1, status })
}

async function requestStop(
  { check }: ScenarioContext,
  jobs: CheckingJobsClient,
  id: string,
  stop: StopAction,
): Promise<JobHttpResponse> {
  const response = await jobs[stop](id)
  check(response.status === 200, `${stop} gets 200, got ${response.status}`)
  check(response.job.queuedMessages === 0, 'queued messages are dropped')
  return response
}

async function stopAndCheck(
  context: ScenarioContext,
  jobs: CheckingJobsClient,
  id: string,
  stop: StopAction,
): Promise<void> {
  await requestStop(context, jobs, id, stop)
  await checkEnd(context, jobs, id, stop, 'stopped')
}

/** Checks that the job reaches the state that the contract specifies in one step, and keeps it. */
async function checkEnd(
  context: ScenarioContext,
  jobs: CheckingJobsClient,
  id: string,
  stop: StopAction,
  end: 'stopped' | 'published',
): Promise<void> {
  const { check, docs } = context
  const job = await jobs.waitUntilEnded(id, fastPollMs)
  const expected = stop === 'archive' ? 'archived' : end === 'stopped' ? 'failed' : 'completed'
  check(job.status === expected, `the job is ${expected}, got ${job.status}`)
  check(jobs.history(id) === `active → ${expected}`, `the status changes in one step, got ${jobs.history(id)}`)
  const outcome = end === 'stopped' ? 'cancelled' : 'pull_request'
  check(
    job.outcome === outcome && job.error === null,
    `the outcome is ${outcome} without an error, got ${job.outcome} ${JSON.stringify(job.error)}`,
  )
  const [first, ...others] = await jobs.messages(id)
  const allowed = end === 'stopped' ? ['failed', 'dropped'] : ['completed']
  check(
    first !== undefined && allowed.includes(first.status),
    `the turn is ${allowed.join(' or ')}, got ${first?.status}`,
  )
  check(
    others.every(({ status }) => status === 'dropped'),
    'queued messages are dropped',
  )
  if (end === 'stopped') {
    await sleep(300) // for calls that may still be in flight
    check(job.prLink === null, 'the job has no pull request')
    check((await listJobBranches(docs.person, id)).length === 0, 'the host has no branch of the job')
    check((await jobs.get(id)).status === expected, 'the status does not change afterwards')
  } else check(job.prLink !== null, 'prLink is set')
  if (stop === 'archive') await checkFinal(context, jobs, id)
  else check((await jobs.cancel(id)).code === 'not_cancellable', 'a second cancel gets not_cancellable')
}

async function checkFinal({ check }: ScenarioContext, jobs: CheckingJobsClient, id: string): Promise<void> {
  const { archivedAt } = await jobs.get(id)
  const again = await jobs.archive(id)
  check(again.status === 200 && again.job.archivedAt === archivedAt, 'archiving again changes nothing')
  check((await jobs.cancel(id)).code === 'not_cancellable', 'an archived job cannot be cancelled')
  check((await jobs.message(id, 'More.')).code === 'job_archived', 'an archived job takes no messages')
}

/** Pauses the worker as soon as `until` resolves, so that `work` runs at a single point of the turn's lifecycle. */
async function withWorkerPaused<Result>(
  { worker }: ScenarioContext,
  until: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  await until()
  worker.process.pause()
  try {
    return await work()
  } finally {
    worker.process.resume()
  }
}

/** Claims the turn and never sends a heartbeat. */
async function claimAndDie(
  { worker, docsWithoutRunners, createRunnerToken }: ScenarioContext,
  prompt: string | undefined,
): Promise<void> {
  const token = await createRunnerToken(docsWithoutRunners)
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const response = await fetch(`${worker.url}/runner/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ waitSeconds: 5 }),
    })
    if (response.status === 200 && ((await response.json()) as ClaimedTurn).prompt === prompt) return
  }
  throw new Error('the turn was not queued within a minute')
}
