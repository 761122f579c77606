/** Many busy processes, each in a session of its own. They must not take the CPUs from the runner and from other turns. */
import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { defaultSandboxLimits } from '../../server/src/runner/sandbox/limits.ts'
import { Sandbox } from '../../server/src/runner/sandbox/sandbox.ts'
import { findHostProcessIds } from '../../server/src/runner/testing/host-processes.ts'
import { formatFinalAgentReply, promptWithScript } from '../../testing/harness/scripted-model.ts'
import { waitForJob } from '../../testing/harness/wait-for-job.ts'
import type { ProofRun } from '../proof.ts'
import { runAttackJob } from './attack-job.ts'
import type { AttackOutcome } from './attacks-with-layers.ts'
import type { SandboxFixture } from './fixture.ts'
import { startOpenGateway } from './open-gateway.ts'

const processes = Math.min(200, 32 * availableParallelism())
const busySeconds = 25
/** Recognizes the processes of the sandbox on the host. */
const marker = `busy-${randomUUID()}`
const busyCommand = `for i in $(seq ${processes}); do setsid perl -e 'alarm ${busySeconds}; 1 while 1' ${marker} & done; wait`
/** The runner lowers the priority of a sandbox that has used more than its share of the CPUs for five seconds. */
const settleMs = 8_000
const starvedFactor = 8
const maxFactor = 5

/** Returns whether the attack succeeded without its isolation layer, and the outcome with all of them. */
export async function attackCpu(
  run: ProofRun,
  { project, others }: SandboxFixture,
): Promise<{ withoutLayer: number; outcome: AttackOutcome }> {
  const idleMs = await measureWorkMs()
  const unprotectedMs = await measureWithoutPriority()
  const isStarved = unprotectedMs >= starvedFactor * idleMs
  run.check(
    isStarved,
    `without a CPU priority, ${processes} busy processes slow down others at least ${starvedFactor}×: ${describe(unprotectedMs, idleMs)}`,
  )

  const attack = runAttackJob(
    project,
    promptWithScript('Be busy.', [
      { call: [{ tool: 'bash', arguments: { command: busyCommand, timeout: busySeconds } }] },
      { say: 'Nothing has to change.' },
    ]),
  )
  const { id } = await others.client.jobs.create(others.projectId, {
    prompt: promptWithScript('Add a page.', [
      { call: [{ tool: 'write', arguments: { path: 'docs/busy.md', content: '# Busy\n' } }] },
      { say: formatFinalAgentReply('Add a page', 'As asked.') },
    ]),
  })
  const protectedMs = await measureWhileBusy()
  run.check(
    protectedMs <= maxFactor * idleMs,
    `a busy sandbox slows down others at most ${maxFactor}×: ${describe(protectedMs, idleMs)}`,
  )
  const neighbor = await waitForJob(others, id)
  run.check(
    neighbor.outcome === 'pull_request',
    `a turn of another project completes while a sandbox is busy, got ${neighbor.outcome} ${JSON.stringify(neighbor.error)}`,
  )
  const result = await attack
  run.check(result.outputs.length === 1, `the busy turn ran once, got ${result.outputs.length} attempts`)
  run.log(
    `busy processes: ${describe(unprotectedMs, idleMs)} without a CPU priority, ${describe(protectedMs, idleMs)} with it`,
  )
  return {
    withoutLayer: isStarved ? 1 : 0,
    outcome: { breaches: protectedMs > maxFactor * idleMs ? 1 : 0, jobs: [result] },
  }
}

async function measureWithoutPriority(): Promise<number> {
  await using egress = await startOpenGateway([])
  await using sandbox = await Sandbox.open({
    mounts: [],
    gatewayDirectory: egress.directory,
    cgroups: undefined,
    limits: defaultSandboxLimits,
    disabledLayers: new Set(['CPU priority']),
  })
  sandbox.start(
    { command: ['sh', '-c', busyCommand], maxOutputBytes: 10_000 },
    { onOutput: () => {}, onErrorOutput: () => {} },
  )
  return await measureWhileBusy()
}

/** Waits until the processes are there, because an agent takes a while to start them. */
async function measureWhileBusy(): Promise<number> {
  const deadlineMs = Date.now() + 60_000
  while (findHostProcessIds(marker).length < processes) {
    if (Date.now() > deadlineMs) throw new Error(`the sandbox did not start ${processes} busy processes`)
    await sleep(200)
  }
  await sleep(settleMs)
  return await measureWorkMs()
}

const workCpuMs = 100

/** How long work takes that needs 100 ms of CPU time: the median of three, because other programs use the CPUs as well. */
async function measureWorkMs(): Promise<number> {
  const durationsMs: number[] = []
  while (durationsMs.length < 3) {
    durationsMs.push(workMs())
    await sleep(50)
  }
  return durationsMs.toSorted((a, b) => a - b)[1] ?? 0
}

function workMs(): number {
  const startedAt = performance.now()
  const before = process.cpuUsage()
  let used: NodeJS.CpuUsage
  do used = process.cpuUsage(before)
  while (used.user + used.system < workCpuMs * 1_000)
  return performance.now() - startedAt
}

const describe = (ms: number, idleMs: number) => `${(ms / idleMs).toFixed(1)}×`
