/** The part of the self-test that takes more memory and CPU time than a turn may have, in every way that we know. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openEgressSocket } from './egress-socket.ts'
import type { IsolationLayer } from './isolation-layers.ts'
import { Sandbox } from './sandbox.ts'
import type { SelfTestFailure, SelfTestOptions } from './self-test-failure.ts'

const mebibyte = 1024 * 1024
/** Little, so that the test fits into the memory of any runner; an idle sandbox takes 50 MiB. */
const testMemoryBytes = 128 * mebibyte
const takenMebibytes = 192

/** Ways to take memory, as `inside/memory-attacks.pl` names them, and the layer that prevents each of them. */
export const memoryAttacks = {
  shared: { layer: 'seccomp filter', finding: 'shared anonymous memory is not limited' },
  memfd: { layer: 'seccomp filter', finding: 'memory of memfd_create is not limited' },
  'system-v': { layer: 'seccomp filter', finding: 'System V shared memory is not limited' },
  'zero-device': { layer: 'mounts', finding: 'shared mappings of /dev/zero are not limited' },
  private: { layer: 'memory limit', finding: 'several processes can together exceed the limit' },
  'page-tables': { layer: 'memory limit', finding: 'page tables are not limited' },
  sockets: { layer: 'memory limit', finding: 'socket buffers are not limited' },
} as const satisfies Record<string, { layer: IsolationLayer; finding: string }>

export async function testMemoryLimits(options: SelfTestOptions): Promise<SelfTestFailure[]> {
  const failures: SelfTestFailure[] = []
  const open = () => openTestSandbox({ ...options, limits: { ...options.limits, memoryBytes: testMemoryBytes } })
  await using sandboxes = new AsyncDisposableStack()
  let sandbox = sandboxes.use(await open())
  for (const [way, failure] of Object.entries(memoryAttacks)) {
    const command = memoryAttackCommand(way, takenMebibytes)
    const { end, output, errorOutput } = await sandbox.run({ command, maxOutputBytes: 10_000 })
    if (end.kind === 'sandbox_ended') sandbox = sandboxes.use(await open())
    if (output.toString('utf8').includes('kept')) failures.push(failure)
    else if (errorOutput.length > 0)
      failures.push({ ...failure, finding: `the test could not run: ${errorOutput.toString('utf8').slice(-1_000)}` })
  }
  return failures
}

export const memoryAttackCommand = (way: string, mebibytes: number): [string, ...string[]] => [
  'perl',
  '/colophon/sandbox/inside/memory-attacks.pl',
  process.arch,
  way,
  String(mebibytes),
]

const busyProcesses = 64
/** Time for the watch to lower the priority of sessions that it has not seen before. */
const settleMs = 500
const measuredHeartbeats = 10
const maxHeartbeatMs = 1_000

/** Ends by itself. Each process is in a session of its own: some kernels divide the CPUs among sessions, whatever the priority of their processes. */
const busyCommand = `for i in $(seq ${busyProcesses}); do setsid perl -e 'alarm 3; 1 while 1' & done; wait`

export async function testCpuPriority(options: SelfTestOptions): Promise<SelfTestFailure[]> {
  await using sandbox = await openTestSandbox(options)
  sandbox.start(
    { command: ['sh', '-c', busyCommand], maxOutputBytes: 10_000 },
    { onOutput: () => {}, onErrorOutput: () => {} },
  )
  await sleep(settleMs)
  const durationsMs: number[] = []
  while (durationsMs.length < measuredHeartbeats) durationsMs.push(await measureHeartbeatMs())
  const medianMs = durationsMs.toSorted((a, b) => a - b)[measuredHeartbeats / 2] ?? 0
  if (medianMs <= maxHeartbeatMs) return []
  const finding = `while ${busyProcesses} processes in the sandbox were busy, a heartbeat took the runner ${Math.round(medianMs)} ms`
  return [{ layer: 'CPU priority', finding }]
}

const heartbeatCpuMs = 5

/** Waits as for a response, then computes as much as a heartbeat does. */
async function measureHeartbeatMs(): Promise<number> {
  const startedAt = performance.now()
  await sleep(10)
  const before = process.cpuUsage()
  let used: NodeJS.CpuUsage
  do used = process.cpuUsage(before)
  while (used.user + used.system < heartbeatCpuMs * 1_000)
  return performance.now() - startedAt
}

async function openTestSandbox(options: SelfTestOptions): Promise<Sandbox> {
  const egress = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: [] })
  const sandbox = await Sandbox.open({ ...options, gatewayDirectory: egress.directory })
  await egress[Symbol.asyncDispose]() // already mounted, and never used
  return sandbox
}
