/** Every way to stop a turn ends the agent and all of its processes within five seconds. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { runColophonCommand } from '../../../dev-services/colophon-process.ts'
import { findHostProcessIds } from '../../../server/src/runner/testing/host-processes.ts'
import type { ProofRun } from '../../proof.ts'
import { type AgentProject, type AgentService, formatFinalAgentReply, promptWithScript } from './agent-service.ts'
import { waitForJob } from './wait-for-job.ts'

export const stopKinds = ['cancel', 'deadline', 'budget', 'pause', 'shutdown'] as const
type StopKind = (typeof stopKinds)[number]

const maxSeconds = 5

/** Two detached processes, and one that the agent waits for. */
const busyCommand = (marker: string) => `(setsid sleep ${marker} &) ; nohup sleep ${marker} & sleep ${marker}`

export const stopsAgentInTimeScenario =
  (kind: StopKind) =>
  async (run: ProofRun, service: AgentService): Promise<string> => {
    const project = await service.connectProject(kind)
    if (kind === 'budget') {
      const budget = ['--project', project.projectId, '--max-tokens-per-job', '150000']
      await runColophonCommand(['admin', 'budget', 'set', ...budget], service)
    }
    const runner = await service.startRunner({ COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '0' })
    const marker = `${3_000 + stopKinds.indexOf(kind)}.${Math.floor(run.random() * 1e6)}`
    // The budget stops an agent at its next model call, so it must not be waiting for a process.
    const command = kind === 'budget' ? `(setsid sleep ${marker} &)` : busyCommand(marker)
    const { id } = await project.client.jobs.create(project.projectId, {
      prompt: promptWithScript('Keep busy.', [
        { call: [{ tool: 'bash', arguments: { command } }], usage: { inputTokens: 149_000, outputTokens: 10 } },
        { say: formatFinalAgentReply('Nothing', 'Nothing.') },
      ]),
    })
    await waitUntilRunning(marker, true)
    const startedAt = performance.now()
    await stop(kind, service, project, { jobId: id, runner })
    await waitUntilRunning(marker, false)
    const tookSeconds = (performance.now() - startedAt) / 1000
    run.check(tookSeconds <= maxSeconds, `all processes end within ${maxSeconds} s, took ${tookSeconds.toFixed(1)} s`)

    if (kind === 'pause' || kind === 'shutdown') {
      const { status } = await project.client.jobs.get(project.projectId, id)
      run.check(status === 'active', `the job stays active until another runner claims the turn, got ${status}`)
      if (kind === 'pause')
        await runColophonCommand(['admin', 'project', 'resume', '--project', project.projectId], service)
      else await service.startRunner()
      await waitUntilRunning(marker, true)
      await project.client.jobs.cancel(project.projectId, id)
      await waitUntilRunning(marker, false)
    }
    const job = await waitForJob(project, id)
    const expected = {
      cancel: null,
      deadline: 'deadline_exceeded',
      budget: 'budget_exhausted',
      pause: null,
      shutdown: null,
    }[kind]
    run.check(job.status === 'failed', `the job is failed, got ${job.status}`)
    run.check((job.error?.code ?? null) === expected, `the error code is ${expected}, got ${JSON.stringify(job.error)}`)
    run.check(job.prLink === null, 'no pull request is opened')
    await runner.process.stop()
    run.figure(`time until all processes ended, ${kind}`, `${tookSeconds.toFixed(1)} s`)
    return `the agent and its processes ended after ${tookSeconds.toFixed(1)} s`
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
      return expireDeadline(service, jobId)
    case 'budget':
      return // the next model call exceeds it
    case 'pause':
      await runColophonCommand(['admin', 'project', 'pause', '--project', projectId], service)
      return
    case 'shutdown':
      return runner.process.stop()
  }
}

async function expireDeadline({ instance }: AgentService, jobId: string): Promise<void> {
  const client = new pg.Client({ connectionString: instance.postgresUrl })
  await client.connect()
  await client.query('UPDATE turn SET deadline_at = now() WHERE job_id = $1', [jobId])
  await client.end()
}

/** Checked on the host, outside of all sandboxes. */
async function waitUntilRunning(marker: string, expected: boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (findHostProcessIds(marker).length > 0 !== expected) {
    if (Date.now() > deadline) throw new Error(`"sleep ${marker}" did not ${expected ? 'start' : 'end'} within 60 s`)
    await sleep(50)
  }
}
