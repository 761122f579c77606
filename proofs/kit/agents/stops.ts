/** Every way of stopping a turn ends the agent, and all it has started, within five seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { runColophon } from '../../../dev-services/colophon.ts'
import { processesOnHost } from '../../../server/src/runner/testing/processes-on-host.ts'
import type { ProofRun } from '../../proof.ts'
import { type AgentProject, type AgentService, closing, played } from './agent-service.ts'
import { endedJob } from './ended-job.ts'

export const stopKinds = ['cancel', 'deadline', 'budget', 'pause', 'shutdown'] as const
type StopKind = (typeof stopKinds)[number]

const maxSeconds = 5

/** Programs that are nobody's child any more, and one that the agent waits for. */
const busyCommand = (marker: string) => `(setsid sleep ${marker} &) ; nohup sleep ${marker} & sleep ${marker}`

export const stopsInTime =
  (kind: StopKind) =>
  async (run: ProofRun, service: AgentService): Promise<string> => {
    const project = await service.connectProject(kind)
    if (kind === 'budget') {
      const budget = ['--project', project.projectId, '--job-tokens', '150000']
      await runColophon(['admin', 'model', 'budget', ...budget], service)
    }
    const runner = await service.startRunner({ COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '0' })
    const marker = `${3_000 + stopKinds.indexOf(kind)}.${Math.floor(run.random() * 1e6)}`
    // Out of budget an agent is stopped where it asks for more: it must not be waiting for a program then.
    const command = kind === 'budget' ? `(setsid sleep ${marker} &)` : busyCommand(marker)
    const { id } = await project.client.jobs.create(project.projectId, {
      prompt: played('Be busy.', [
        { call: [{ tool: 'bash', arguments: { command } }], usage: { inputTokens: 149_000, outputTokens: 10 } },
        { say: closing('Nothing', 'Nothing.') },
      ]),
    })
    await untilRunning(marker, true)
    const startedAt = performance.now()
    await stop(kind, service, project, { jobId: id, runner })
    await untilRunning(marker, false)
    const tookSeconds = (performance.now() - startedAt) / 1000
    run.check(tookSeconds <= maxSeconds, `everything is gone after ${tookSeconds.toFixed(1)} s`)

    if (kind === 'pause' || kind === 'shutdown') {
      const { status } = await project.client.jobs.get(project.projectId, id)
      run.check(status === 'active', `the turn waits for another runner: ${status}`)
      if (kind === 'pause') await runColophon(['admin', 'project', 'resume', '--project', project.projectId], service)
      else await service.startRunner()
      await untilRunning(marker, true)
      await project.client.jobs.cancel(project.projectId, id)
      await untilRunning(marker, false)
    }
    const job = await endedJob(project, id)
    const expected = {
      cancel: null,
      deadline: 'deadline_exceeded',
      budget: 'budget_exhausted',
      pause: null,
      shutdown: null,
    }[kind]
    run.check(job.status === 'failed', `the job has failed, not ${job.status}`)
    run.check((job.error?.code ?? null) === expected, `it says why: ${expected}, not ${JSON.stringify(job.error)}`)
    run.check(job.prLink === null, 'nothing was published')
    await runner.part.stop()
    run.figure(`everything gone after: ${kind}`, `${tookSeconds.toFixed(1)} s`)
    return `the agent and all it started are gone after ${tookSeconds.toFixed(1)} s`
  }

async function stop(
  kind: StopKind,
  service: AgentService,
  { client, projectId }: AgentProject,
  { jobId, runner }: { jobId: string; runner: Awaited<ReturnType<AgentService['startRunner']>> },
): Promise<void> {
  switch (kind) {
    case 'cancel':
      await client.jobs.cancel(projectId, jobId)
      return
    case 'deadline':
      return letDeadlinePass(service, jobId)
    case 'budget':
      return // the next call of the model goes past it
    case 'pause':
      await runColophon(['admin', 'project', 'pause', '--project', projectId], service)
      return
    case 'shutdown':
      return runner.part.stop()
  }
}

async function letDeadlinePass({ instance }: AgentService, jobId: string): Promise<void> {
  const client = new pg.Client({ connectionString: instance.postgresUrl })
  await client.connect()
  await client.query('UPDATE turn SET deadline_at = now() WHERE job_id = $1', [jobId])
  await client.end()
}

/** Seen from outside of all boxes. */
async function untilRunning(marker: string, wanted: boolean): Promise<void> {
  const until = Date.now() + 60_000
  while (processesOnHost(marker).length > 0 !== wanted) {
    if (Date.now() > until) throw new Error(`waited in vain until "sleep ${marker}" is ${wanted ? 'there' : 'gone'}`)
    await sleep(50)
  }
}
