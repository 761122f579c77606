/** Runners are hosts that come and go: killed, standing still and started again in the middle of their turns. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ColophonProcess } from '../dev-services/colophon.ts'
import { processTree } from '../dev-services/process-tree.ts'
import type { AgentJob } from '../sdk/src/index.ts'
import { type AgentProject, agentService, closing, played } from './kit/agents/agent-service.ts'
import { endedJob } from './kit/agents/ended-job.ts'
import type { ProofRun } from './proof.ts'

export const promise = 'Whatever happens to runners, every job is completed, and published once'

const runnerCount = 4
/** Few enough that one page of Gitea's lists holds them all. */
const jobsPerProject = 20
/** Of a turn: long enough that most that happens to a runner happens in the middle of one. */
const turnSeconds = 2
/** On a busy machine a shorter time without a sign of life would take half of the living for dead. */
const timers = { COLOPHON_JOB_HEARTBEAT_TIMEOUT_SECONDS: '10', COLOPHON_JOB_DEADLINE_SECONDS: '900' }
const takenForDeadMs = 13_000
const patience = { withinSeconds: 1_800, everyMs: 5_000 }
const faults = ['killed', 'paused', 'restarted'] as const
type Fault = (typeof faults)[number]

export async function prove(run: ProofRun): Promise<void> {
  const { jobCount, minInTurn } = {
    ci: { jobCount: 8, minInTurn: 1 },
    stated: { jobCount: 100, minInTurn: 20 },
    full: { jobCount: 300, minInTurn: 60 },
  }[run.size]
  const service = await agentService(run, 'come-and-go', timers)
  await service.addModel({ name: 'model', format: 'anthropic-messages', isDefault: true })
  const projects = await Promise.all(
    Array.from({ length: Math.ceil(jobCount / jobsPerProject) }, (_, index) =>
      service.connectProject(`Project ${index}`),
    ),
  )
  const runners: ColophonProcess[] = []
  for (let index = 0; index < runnerCount; index++)
    runners.push(await service.startRunner({ COLOPHON_RUNNER_MAX_CONCURRENT_TURNS: '1' }))
  run.say(`${runnerCount} runners are there`)

  const jobs = await Promise.all(
    Array.from({ length: jobCount }, (_, index) => createJob(pick(projects, index), index)),
  )
  const inTurn: Record<Fault, number> = { killed: 0, paused: 0, restarted: 0 }
  let done = false
  const fault = (async () => {
    for (let index = 0; !done; index++) {
      await sleep(500 + run.random() * 3_500)
      if (done) return
      const busy = await Promise.all(runners.map(isInTurn))
      const candidates = runners.filter((_runner, place) => busy[place])
      const kind = pick(faults, index)
      const runner = pick(candidates.length > 0 ? candidates : runners, Math.floor(run.random() * runnerCount))
      if (candidates.includes(runner)) inTurn[kind]++
      await strike(runner, kind)
    }
  })()
  const ended = await Promise.all(jobs.map(({ project, id }) => endedJob(project, id, patience)))
  done = true
  await fault

  const published = new Map<string, number>()
  for (const { repository } of projects) {
    const found = (await repository.asPerson('GET', '/pulls?state=all&limit=50')) as { head: { ref: string } }[]
    for (const { head } of found) published.set(head.ref, (published.get(head.ref) ?? 0) + 1)
  }
  let wrong = 0
  for (const [index, job] of ended.entries()) {
    const isRight = published.get(`colophon/${job.id}`) === 1 && (await hasItsPage(jobs[index]?.project, job, index))
    if (!isRight) wrong++
    const { status, outcome, error } = job
    run.check(isRight && status === 'completed', `${job.id}: ${status}, ${outcome}, ${JSON.stringify(error)}`)
  }
  const total = Object.values(inTurn).reduce((sum, count) => sum + count, 0)
  run.check(total >= minInTurn, `at least ${minInTurn} were struck in the middle of a turn: ${total}`)
  const counts = Object.entries(inTurn).map(([kind, count]) => `${kind} ${count}`)
  run.figure('jobs, completed', `${jobs.length}, ${ended.filter(({ status }) => status === 'completed').length}`)
  run.figure('runners struck in the middle of a turn', `${total} (${counts.join(', ')})`)
  run.figure('jobs published twice, not at all, or with another page', wrong)
}

const pageOf = (index: number) => ({ path: `docs/page-${index}.md`, content: `# Page ${index}\n` })

async function createJob(project: AgentProject, index: number): Promise<{ project: AgentProject; id: string }> {
  const { client, projectId } = project
  const prompt = played(`Write page ${index}.`, [
    { call: [{ tool: 'bash', arguments: { command: `sleep ${turnSeconds}` } }] },
    { call: [{ tool: 'write', arguments: pageOf(index) }] },
    { say: closing(`Write page ${index}`, 'As asked.') },
  ])
  return { project, id: (await client.jobs.create(projectId, { prompt })).id }
}

/** A box is open. */
const isInTurn = async ({ part }: ColophonProcess) => part.pid !== undefined && (await processTree(part.pid)).length > 1

async function strike({ part }: ColophonProcess, kind: Fault): Promise<void> {
  switch (kind) {
    case 'killed':
      await part.kill()
      return part.start()
    case 'restarted':
      await part.stop()
      return part.start()
    case 'paused':
      part.pause()
      await sleep(takenForDeadMs)
      part.resume()
  }
}

async function hasItsPage(project: AgentProject | undefined, job: AgentJob, index: number): Promise<boolean> {
  const files = await project?.repository.filesOf(`colophon/${job.id}`)
  const { path, content } = pageOf(index)
  return files?.[path] === content
}

function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length]
  if (item === undefined) throw new Error('there is nothing to pick from')
  return item
}
