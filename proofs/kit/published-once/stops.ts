/** Cancel and archive, at every point of a turn. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClaimedTurn } from '../../../server/src/runner-wire/runner-wire.ts'
import { branchesOf, pullRequestsOf } from '../hosts/host-person.ts'
import type { JobResponse, WatchedJobs } from '../watched-jobs.ts'
import { checkPullRequest } from './pull-requests.ts'
import { type Scene, scriptFor } from './stage.ts'

export type Stop = 'cancel' | 'archive'

export interface StopPoint {
  point: string
  /** Nothing else may be under way: the worker is made to stand still. */
  isAlone?: boolean
  /** Cancel first, then archive: side by side each would claim the other's turn. */
  isOneByOne?: boolean
  play(scene: Scene, stop: Stop): Promise<void>
}

/** So often that a state in between would be seen. */
const closelyMs = 15

/** In the order of a turn's life. Queued, with nobody who has heard of it, is among what is played without Temporal. */
export const stopPoints: readonly StopPoint[] = [
  {
    point: 'offered to runners',
    play: async (scene, stop) => {
      const jobs = await scene.jobsOf(scene.lonely)
      const { id } = await jobs.begin(scriptFor(scene.lonely).prompt)
      await jobs.untilMessage(id, 1, ['running'])
      await stopAndCheck(scene, jobs, id, stop)
    },
  },

  {
    point: 'claimed by a runner',
    play: (scene, stop) => stopWhileHeld(scene, stop, { at: 'claimed', hearsStop: true, afterMs: 0 }),
  },

  {
    point: 'the agent works',
    play: (scene, stop) => stopWhileHeld(scene, stop, { at: 'claimed', hearsStop: true, afterMs: 1_500 }),
  },

  {
    point: 'a runner that hears no stop',
    play: (scene, stop) => stopWhileHeld(scene, stop, { at: 'worked', hearsStop: false, afterMs: 0 }),
  },

  {
    point: 'the engine breaks after the stop',
    play: (scene, stop) => stopWhileHeld(scene, stop, { at: 'claimed', hearsStop: false, afterMs: 0 }, 'agent_failed'),
  },

  {
    point: 'the runner hands it back after the stop',
    play: (scene, stop) => stopWhileHeld(scene, stop, { at: 'claimed', hearsStop: false, afterMs: 0 }, 'handed_back'),
  },

  {
    point: 'the runner dies',
    isOneByOne: true,
    play: async (scene, stop) => {
      const jobs = await scene.jobsOf(scene.lonely)
      const { id } = await jobs.begin(scriptFor(scene.lonely).prompt)
      await claimAndDie(scene, (await jobs.messages(id))[0]?.prompt)
      await stopAndCheck(scene, jobs, id, stop)
    },
  },

  {
    point: 'the result is uploaded',
    isAlone: true,
    play: async (scene, stop) => {
      const { agent, docs, check } = scene
      const jobs = await scene.jobsOf(docs)
      const script = scriptFor(docs)
      const held = agent.hold(script.prompt, 'worked')
      const { id } = await jobs.begin(script.prompt)
      await held.reached
      const end = await whileWorkerStandsStill(
        scene,
        async () => {
          held.release()
          while (scene.timesPerformed(script.prompt) === 0) await sleep(1)
        },
        async () => {
          const [turn] = await jobs.messages(id)
          check(turn?.status === 'running' || turn?.status === 'publishing', `it is still in hand: ${turn?.status}`)
          await askFor(scene, jobs, id, stop)
          return turn?.status === 'publishing' ? 'published' : 'stopped'
        },
      )
      await checkEnd(scene, jobs, id, stop, end)
    },
  },

  {
    point: 'our push is on its way',
    play: (scene, stop) => stopWhilePublishing(scene, stop, 'before', 'puts'),
  },

  {
    point: 'the pull request is made, its answer on its way',
    play: (scene, stop) => stopWhilePublishing(scene, stop, 'after', 'opens'),
  },

  {
    point: 'we publish, and the branch moves',
    play: async (scene, stop) => {
      const { docs, host, calls, check } = scene
      const jobs = await scene.jobsOf(docs)
      const first = scriptFor(docs)
      const { id } = await jobs.begin(first.prompt)
      const { pullRequest } = await jobs.ended(id)
      const push = host.hold('before', (call) => calls.puts(call, id))
      await jobs.followUp(id, scriptFor(docs, { write: { [first.page]: 'The agent says so.\n' } }).prompt)
      await push.reached
      await docs.person.push(pullRequest?.branch ?? '', first.page, 'A person says otherwise.\n')
      await askFor(scene, jobs, id, stop)
      push.release()
      const job = await jobs.ended(id, closelyMs)
      check(job.status === (stop === 'cancel' ? 'failed' : 'archived'), `stopped, not ${job.status}`)
      check(job.outcome === 'cancelled' && job.prLink === pullRequest?.url, `cancelled, not ${job.outcome}`)
      const commits = await docs.person.commitsOf(pullRequest?.number ?? 0)
      check(commits.length === 2, `nothing of ours was pushed: ${commits.length} commits`)
    },
  },

  {
    point: 'between two turns',
    isAlone: true,
    play: async (scene, stop) => {
      const { agent, docs, check } = scene
      const jobs = await scene.jobsOf(docs)
      const first = scriptFor(docs)
      const second = scriptFor(docs)
      const held = agent.hold(first.prompt, 'claimed')
      agent.hold(second.prompt, 'claimed')
      const { id } = await jobs.begin(first.prompt)
      await held.reached
      await jobs.followUp(id, second.prompt)
      held.release()
      await jobs.untilMessage(id, 1, ['publishing', 'completed'])
      const wasRunning = await whileWorkerStandsStill(
        scene,
        () => jobs.untilMessage(id, 1, ['completed']),
        async () => {
          const states = (await jobs.messages(id)).map(({ status }) => status)
          await askFor(scene, jobs, id, stop)
          return states[1] === 'running'
        },
      )
      const job = await jobs.ended(id, closelyMs)
      check(job.status === (stop === 'cancel' ? 'failed' : 'archived'), `stopped, not ${job.status}`)
      check(job.outcome === 'cancelled', `cancelled, not ${job.outcome}`)
      check(jobs.history(id) === `active → ${job.status}`, `in one step: ${jobs.history(id)}`)
      const states = (await jobs.messages(id)).map(({ status }) => status).join()
      check(states === `done,${wasRunning ? 'failed' : 'dropped'}`, `the second is dropped or stopped: ${states}`)
      const all = await pullRequestsOf(docs.person, id)
      check(all.length === 1 && job.prLink === all[0]?.url, 'the pull request of the first turn stays')
    },
  },

  {
    point: 'the job has ended',
    play: async (scene, stop) => {
      const { docs, check } = scene
      const jobs = await scene.jobsOf(docs)
      const script = scriptFor(docs)
      const { id } = await jobs.begin(script.prompt)
      const ended = await jobs.ended(id)
      const response = await jobs[stop](id)
      if (stop === 'cancel') {
        check(
          response.status === 409 && response.code === 'not_cancellable',
          `409 not_cancellable, not ${response.status}`,
        )
        check((await jobs.get(id)).status === 'completed', 'it stays completed')
        return
      }
      check(
        response.job.status === 'archived' && response.job.prLink === ended.prLink,
        'archived at once, prLink stays',
      )
      await checkPullRequest(scene, jobs, response.job, { files: script.write, commits: 1, status: 'archived' })
      await checkFinal(scene, jobs, id)
    },
  },
]

/** Cancel, then the opposite of it. */
export async function secondThoughts(scene: Scene): Promise<string> {
  const { agent, docs, check } = scene
  const jobs = await scene.jobsOf(docs)
  const first = scriptFor(docs)
  const second = scriptFor(docs)
  const held = agent.hold(first.prompt, 'claimed')
  const { id } = await jobs.begin(first.prompt)
  await held.reached
  await jobs.cancel(id)
  await jobs.followUp(id, second.prompt)
  const job = await jobs.ended(id)
  await checkPullRequest(scene, jobs, job, { files: second.write, commits: 1 })
  check(jobs.history(id) === 'active → completed', `a message after a cancel is new work: ${jobs.history(id)}`)

  const third = scriptFor(docs)
  const heldAgain = agent.hold(third.prompt, 'claimed', { hearsStop: false })
  await jobs.followUp(id, third.prompt)
  await heldAgain.reached
  await jobs.cancel(id)
  await jobs.archive(id)
  const { code } = await jobs.message(id, third.prompt)
  check(code === 'job_archived', `a job that is being archived takes no message: ${code}`)
  heldAgain.release()
  const archived = await jobs.ended(id, closelyMs)
  check(archived.status === 'archived', `archiving outweighs cancelling: ${archived.status}`)
  check(jobs.history(id) === 'active → completed → active → archived', `in one step: ${jobs.history(id)}`)
  await checkFinal(scene, jobs, id)
  return 'a message after a cancel is new work; archiving outweighs cancelling'
}

interface Hold {
  at: 'claimed' | 'worked'
  hearsStop: boolean
  afterMs: number
}

async function stopWhileHeld(
  scene: Scene,
  stop: Stop,
  { at, hearsStop, afterMs }: Hold,
  ends?: 'agent_failed' | 'handed_back',
): Promise<void> {
  const { agent, docs } = scene
  const jobs = await scene.jobsOf(docs)
  const script = scriptFor(docs, ends && { ends })
  const held = agent.hold(script.prompt, at, { hearsStop })
  const { id } = await jobs.begin(script.prompt)
  await held.reached
  await jobs.followUp(id, scriptFor(docs).prompt) // has to be dropped
  await sleep(afterMs)
  await askFor(scene, jobs, id, stop)
  if (!hearsStop) held.release()
  await checkEnd(scene, jobs, id, stop, 'stopped')
}

async function stopWhilePublishing(
  scene: Scene,
  stop: Stop,
  when: 'before' | 'after',
  which: 'puts' | 'opens',
): Promise<void> {
  const { docs, host, calls } = scene
  const jobs = await scene.jobsOf(docs)
  const script = scriptFor(docs)
  const held = scene.agent.hold(script.prompt, 'claimed')
  const { id } = await jobs.begin(script.prompt)
  const call = host.hold(when, (call) => calls[which](call, id))
  await held.reached
  await jobs.followUp(id, scriptFor(docs).prompt) // has to be dropped
  held.release()
  await call.reached
  await askFor(scene, jobs, id, stop)
  await sleep(300) // nothing ends before the host has answered
  scene.check((await jobs.get(id)).status === 'active', 'a turn that publishes ends first')
  call.release()
  await checkEnd(scene, jobs, id, stop, 'published')
  const status = stop === 'cancel' ? 'completed' : 'archived'
  await checkPullRequest(scene, jobs, await jobs.get(id), { files: script.write, commits: 1, status })
}

async function askFor({ check }: Scene, jobs: WatchedJobs, id: string, stop: Stop): Promise<JobResponse> {
  const response = await jobs[stop](id)
  check(response.status === 200, `${stop} is accepted, not ${response.status}`)
  check(response.job.queuedMessages === 0, 'what waited is dropped')
  return response
}

async function stopAndCheck(scene: Scene, jobs: WatchedJobs, id: string, stop: Stop): Promise<void> {
  await askFor(scene, jobs, id, stop)
  await checkEnd(scene, jobs, id, stop, 'stopped')
}

/** The one state that the contract allows, reached in one step, and kept. */
async function checkEnd(
  scene: Scene,
  jobs: WatchedJobs,
  id: string,
  stop: Stop,
  end: 'stopped' | 'published',
): Promise<void> {
  const { check, docs } = scene
  const job = await jobs.ended(id, closelyMs)
  const wanted = stop === 'archive' ? 'archived' : end === 'stopped' ? 'failed' : 'completed'
  check(job.status === wanted, `${wanted}, not ${job.status}`)
  check(jobs.history(id) === `active → ${wanted}`, `in one step: ${jobs.history(id)}`)
  const outcome = end === 'stopped' ? 'cancelled' : 'pull_request'
  check(job.outcome === outcome && job.error === null, `${outcome}, not ${job.outcome} ${JSON.stringify(job.error)}`)
  const [first, ...others] = await jobs.messages(id)
  const how = end === 'stopped' ? ['failed', 'dropped'] : ['completed']
  check(first !== undefined && how.includes(first.status), `the turn is ${how.join(' or ')}, not ${first?.status}`)
  check(
    others.every(({ status }) => status === 'dropped'),
    'what waited is dropped',
  )
  if (end === 'stopped') {
    await sleep(300) // for what might still be on its way
    check(job.prLink === null, 'no pull request')
    check((await branchesOf(docs.person, id)).length === 0, 'nothing was pushed')
    check((await jobs.get(id)).status === wanted, 'and so it stays')
  } else check(job.prLink !== null, 'prLink is filled')
  if (stop === 'archive') await checkFinal(scene, jobs, id)
  else check((await jobs.cancel(id)).code === 'not_cancellable', 'there is nothing more to cancel')
}

async function checkFinal({ check }: Scene, jobs: WatchedJobs, id: string): Promise<void> {
  const { archivedAt } = await jobs.get(id)
  const again = await jobs.archive(id)
  check(again.status === 200 && again.job.archivedAt === archivedAt, 'archiving again changes nothing')
  check((await jobs.cancel(id)).code === 'not_cancellable', 'an archived job cannot be cancelled')
  check((await jobs.message(id, 'More.')).code === 'job_archived', 'nor spoken to')
}

/** Stops the worker as soon as `until` is over: what is read and asked for meanwhile is of one moment in a turn's life. */
async function whileWorkerStandsStill<Result>(
  { worker }: Scene,
  until: () => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  await until()
  worker.part.pause()
  try {
    return await work()
  } finally {
    worker.part.resume()
  }
}

/** Takes the turn up by hand, and is never heard of again. */
async function claimAndDie({ worker, lonely, runnerTokenFor }: Scene, prompt: string | undefined): Promise<void> {
  const token = await runnerTokenFor(lonely)
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; ) {
    const response = await fetch(`${worker.url}/runner/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ waitSeconds: 5 }),
    })
    if (response.status === 200 && ((await response.json()) as ClaimedTurn).prompt === prompt) return
  }
  throw new Error('the turn was not offered within a minute')
}
