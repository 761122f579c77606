/** Kills, pauses and restarts runners in the middle of their turns. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentJob } from '../sdk/src/index.ts'
import { type ProjectWithClient, startColophon } from '../testing/harness/colophon.ts'
import type { ColophonProcess } from '../testing/harness/colophon-process.ts'
import { addScriptedModel, formatFinalAgentReply, promptWithScript } from '../testing/harness/scripted-model.ts'
import { waitForJob } from '../testing/harness/wait-for-job.ts'
import { processTree } from '../testing/services/process-tree.ts'
import type { ProofRun } from './proof.ts'

export const guarantee = 'Every job completes and is published once, whatever happens to runners'

const runnerCount = 4
/** Few enough that one page of Gitea's list API contains them all. */
const jobsPerProject = 20
/** Long enough that most faults hit a runner in the middle of a turn. */
const turnSeconds = 2
/** With shorter timeouts, a busy machine would lose half of the healthy attempts, or give up while it publishes. */
const timers = {
  COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10',
  COLOPHON_JOB_DEADLINE_SECONDS: '900',
  COLOPHON_JOB_PUBLISH_TIMEOUT_SECONDS: '900',
}
const pauseMs = 13_000
const waitOptions = { withinSeconds: 1_800, everyMs: 5_000 }
const faults = ['killed', 'paused', 'restarted'] as const
type Fault = (typeof faults)[number]

export async function prove(run: ProofRun): Promise<void> {
  const { jobCount, minFaultsDuringTurn } = {
    ci: { jobCount: 8, minFaultsDuringTurn: 1 },
    stated: { jobCount: 100, minFaultsDuringTurn: 20 },
    full: { jobCount: 300, minFaultsDuringTurn: 60 },
  }[run.size]
  const colophon = await startColophon(run, 'runner-failures', { worker: timers })
  await addScriptedModel(colophon, { name: 'model', format: 'anthropic-messages', isDefault: true })
  const projects = await Promise.all(
    Array.from({ length: Math.ceil(jobCount / jobsPerProject) }, (_, index) =>
      colophon.connectProject(`Project ${index}`),
    ),
  )
  const runners: ColophonProcess[] = []
  for (let index = 0; index < runnerCount; index++)
    runners.push(await colophon.startRunner({ COLOPHON_RUNNER_MAX_CONCURRENT_TURNS: '1' }))
  run.log(`${runnerCount} runners are up`)

  const jobs = await Promise.all(
    Array.from({ length: jobCount }, (_, index) => createJob(pick(projects, index), index)),
  )
  const faultsDuringTurn: Record<Fault, number> = { killed: 0, paused: 0, restarted: 0 }
  let done = false
  const injecting = (async () => {
    for (let index = 0; !done; index++) {
      await sleep(500 + run.random() * 3_500)
      if (done) return
      const busy = await Promise.all(runners.map(hasTurn))
      const candidates = runners.filter((_runner, position) => busy[position])
      const kind = pick(faults, index)
      const runner = pick(candidates.length > 0 ? candidates : runners, Math.floor(run.random() * runnerCount))
      if (candidates.includes(runner)) faultsDuringTurn[kind]++
      await injectFault(runner, kind)
    }
  })()
  const ended = await Promise.all(jobs.map(({ project, id }) => waitForJob(project, id, waitOptions)))
  done = true
  await injecting

  const published = new Map<string, number>()
  for (const { repository } of projects) {
    const pullRequests = (await repository.callAsAdmin('GET', '/pulls?state=all&limit=50')) as {
      head: { ref: string }
    }[]
    for (const { head } of pullRequests) published.set(head.ref, (published.get(head.ref) ?? 0) + 1)
  }
  let wrong = 0
  for (const [index, job] of ended.entries()) {
    const isPublishedOnce =
      published.get(`colophon/${job.id}`) === 1 && (await hasExpectedPage(jobs[index]?.project, job, index))
    if (!isPublishedOnce) wrong++
    const { status, outcome, error } = job
    run.check(
      isPublishedOnce && status === 'completed',
      `${job.id} is completed and published once: ${status}, ${outcome}, ${JSON.stringify(error)}`,
    )
  }
  const total = Object.values(faultsDuringTurn).reduce((sum, count) => sum + count, 0)
  run.check(total >= minFaultsDuringTurn, `at least ${minFaultsDuringTurn} faults hit a runner during a turn: ${total}`)
  const counts = Object.entries(faultsDuringTurn).map(([kind, count]) => `${kind} ${count}`)
  run.figure('jobs', `${jobs.length} (${ended.filter(({ status }) => status === 'completed').length} completed)`)
  run.figure('runner faults during a turn', `${total} (${counts.join(', ')})`)
  run.figure('jobs not published exactly once with their page', wrong)
}

const pageOf = (index: number) => ({ path: `docs/page-${index}.md`, content: `# Page ${index}\n` })

async function createJob(
  project: ProjectWithClient,
  index: number,
): Promise<{ project: ProjectWithClient; id: string }> {
  const { client, projectId } = project
  const prompt = promptWithScript(`Write page ${index}.`, [
    { call: [{ tool: 'bash', arguments: { command: `sleep ${turnSeconds}` } }] },
    { call: [{ tool: 'write', arguments: pageOf(index) }] },
    { say: formatFinalAgentReply(`Write page ${index}`, 'As asked.') },
  ])
  return { project, id: (await client.jobs.create(projectId, { prompt })).id }
}

/** A runner has child processes only while a sandbox is open. */
const hasTurn = async ({ process: managed }: ColophonProcess) =>
  managed.pid !== undefined && (await processTree(managed.pid)).length > 1

async function injectFault({ process: managed }: ColophonProcess, kind: Fault): Promise<void> {
  switch (kind) {
    case 'killed':
      await managed.kill()
      return managed.start()
    case 'restarted':
      await managed.stop()
      return managed.start()
    case 'paused':
      managed.pause()
      await sleep(pauseMs)
      managed.resume()
  }
}

async function hasExpectedPage(project: ProjectWithClient | undefined, job: AgentJob, index: number): Promise<boolean> {
  const files = await project?.repository.readFiles(`colophon/${job.id}`)
  const { path, content } = pageOf(index)
  return files?.[path] === content
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('cannot pick from an empty list')
  return item
}
