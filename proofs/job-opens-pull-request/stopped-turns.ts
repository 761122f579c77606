/** Every way to stop a turn ends the agent and all of its processes within five seconds. */

import { setTimeout as sleep } from 'node:timers/promises'
import { findHostProcessIds } from '../../server/src/runner/testing/host-processes.ts'
import type { ProjectWithClient, RunningColophon } from '../../testing/harness/colophon.ts'
import type { ColophonProcess } from '../../testing/harness/colophon-process.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { operator } from '../../testing/harness/test-instance.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ProofRun } from '../proof.ts'

export const stopKinds = ['cancel', 'deadline', 'budget', 'pause', 'shutdown'] as const
type StopKind = (typeof stopKinds)[number]

const maxSeconds = 5

/** Two detached processes, and one that the agent waits for. */
const busyCommand = (marker: string) => `(setsid sleep ${marker} &) ; nohup sleep ${marker} & sleep ${marker}`

export const stopsAgentInTimeScenario =
  (kind: StopKind) =>
  async (run: ProofRun, colophon: RunningColophon): Promise<string> => {
    const project = await colophon.connectProject(kind)
    if (kind === 'budget') {
      const budget = { maxTokensPerJob: 150_000, maxTokensPerMonth: null, maxUsdPerMonth: null }
      await colophon.stores.budgets.set(project.projectId, budget, operator)
    }
    const runner = await colophon.startRunner({ COLOPHON_RUNNER_SHUTDOWN_GRACE_SECONDS: '0' })
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
    await stop(kind, colophon, project, { jobId: id, runner })
    await waitUntilRunning(marker, false)
    const tookSeconds = (performance.now() - startedAt) / 1000
    run.check(tookSeconds <= maxSeconds, `all processes end within ${maxSeconds} s, took ${tookSeconds.toFixed(1)} s`)

    if (kind === 'pause' || kind === 'shutdown') {
      const { status } = await project.client.jobs.get(project.projectId, id)
      run.check(status === 'active', `the job stays active until another runner claims the turn, got ${status}`)
      if (kind === 'pause') await colophon.stores.pauses.resume(project.projectId, operator)
      else await colophon.startRunner()
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
  colophon: RunningColophon,
  { client, projectId }: ProjectWithClient,
  { jobId, runner }: { jobId: string; runner: ColophonProcess },
): Promise<void> {
  switch (kind) {
    case 'cancel':
      await client.jobs.cancel(projectId, jobId)
      return
    case 'deadline':
      await colophon.pool.query('UPDATE turn SET deadline_at = now() WHERE job_id = $1', [jobId])
      return
    case 'budget':
      return // the next model call exceeds it
    case 'pause':
      await colophon.stores.pauses.pause(projectId, operator)
      return
    case 'shutdown':
      return runner.process.stop()
  }
}

/** Checked on the host, outside of all sandboxes. */
async function waitUntilRunning(marker: string, expected: boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (findHostProcessIds(marker).length > 0 !== expected) {
    if (Date.now() > deadline) throw new Error(`"sleep ${marker}" did not ${expected ? 'start' : 'end'} within 60 s`)
    await sleep(50)
  }
}
