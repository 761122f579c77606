/**
 * At startup the runner opens a sandbox and runs escape tests against it, one for each isolation layer. It does not claim turns
 * if a layer is missing: a kernel, a container runtime or an operator may have disabled one without anyone noticing.
 */
import { readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { commonMountPoints, listMaskedProcFiles, writableMounts } from './bubblewrap.ts'
import { openEgressSocket } from './egress-socket.ts'
import type { Breach, HostFacts } from './inside/escape-tests.ts'
import { type IsolationLayer, isolationLayers } from './isolation-layers.ts'
import { sandboxNiceness } from './limits.ts'
import { findProgram, MissingProgramError } from './programs.ts'
import { testCpuPriority, testMemoryLimits } from './resource-tests.ts'
import { Sandbox } from './sandbox.ts'
import { SandboxError } from './sandbox-process.ts'
import type { SelfTestFailure, SelfTestOptions } from './self-test-failure.ts'

export type SelfTestResult = { kind: 'passed' } | { kind: 'failed'; failures: readonly SelfTestFailure[] }

/** Takes about three seconds. */
export async function runSandboxSelfTest(options: SelfTestOptions): Promise<SelfTestResult> {
  const failures: SelfTestFailure[] = []
  try {
    for (const program of ['git', 'rg', 'prlimit', 'perl'] as const) findProgram(program)
    failures.push(...(await runEscapeTests(isolationLayers, options)))
    // The seccomp filter denies nested user namespaces too, and would hide that the other layer is missing.
    const disabledLayers = new Set<IsolationLayer>([...(options.disabledLayers ?? []), 'seccomp filter'])
    failures.push(...(await runEscapeTests(['user namespaces'], { ...options, disabledLayers })))
    // They take seconds, and rely on the layers that were tested before.
    if (failures.length === 0) failures.push(...(await testMemoryLimits(options)), ...(await testCpuPriority(options)))
  } catch (error) {
    if (!(error instanceof SandboxError || error instanceof MissingProgramError)) throw error
    failures.push({ layer: 'sandbox', finding: error.message })
  }
  return failures.length === 0 ? { kind: 'passed' } : { kind: 'failed', failures }
}

async function runEscapeTests(layers: readonly IsolationLayer[], options: SelfTestOptions): Promise<SelfTestFailure[]> {
  await using host = await listenOnLoopback()
  await using egress = await openEgressSocket({ ...host, token: 'none', allowedPaths: ['/reach', '/stay'] })
  await using sandbox = await Sandbox.open({ ...options, gatewayDirectory: egress.directory })
  const { end, output, errorOutput } = await sandbox.run({
    command: [
      'node',
      '/colophon/sandbox/inside/escape-tests.ts',
      JSON.stringify(hostFacts(layers, host.port, options)),
    ],
    maxOutputBytes: 100_000,
  })
  if (end.kind !== 'exited' || end.code !== 0)
    throw new SandboxError(`The escape tests did not run (${end.kind}): ${errorOutput.toString('utf8').slice(-1_000)}`)

  const failures: SelfTestFailure[] = JSON.parse(output.toString('utf8')) as Breach[]
  if (!host.reached) failures.push({ layer: 'egress', finding: 'the gateway cannot be reached from inside' })
  if (!layers.includes('PID namespace')) return failures
  const hasStarted = await withinSeconds(20, host.staleProcessConnected) // a busy machine starts a program slowly
  await sandbox.close()
  if (!hasStarted)
    failures.push({
      layer: 'PID namespace',
      finding: 'the test did not start within 20 s because the machine is too busy',
    })
  else if (!(await withinSeconds(10, host.staleProcessGone)))
    failures.push({ layer: 'PID namespace', finding: 'a process outlived the sandbox' })
  return failures
}

function hostFacts(
  layers: readonly IsolationLayer[],
  loopbackPort: number,
  { mounts, limits }: SelfTestOptions,
): HostFacts {
  const namespace = (kind: string) => readlinkSync(`/proc/self/ns/${kind}`)
  return {
    layers,
    loopbackPort,
    namespaces: {
      pid: namespace('pid'),
      net: namespace('net'),
      ipc: namespace('ipc'),
      uts: namespace('uts'),
      cgroup: namespace('cgroup'),
    },
    mountPoints: [...commonMountPoints, ...mounts.map(({ to }) => to)],
    maskedProcFiles: listMaskedProcFiles(),
    sizes: Object.fromEntries(
      Object.entries(writableMounts).map(([name, path]) => [path, limits[name as keyof typeof writableMounts]]),
    ),
    processes: limits.processes,
    processMemoryBytes: limits.processMemoryBytes,
    niceness: sandboxNiceness,
  }
}

/** Simulates the gateway, and a service of the host that listens only on 127.0.0.1. */
async function listenOnLoopback() {
  const connected = Promise.withResolvers<void>()
  const disconnected = Promise.withResolvers<void>()
  const host = {
    reached: false,
    staleProcessConnected: connected.promise,
    staleProcessGone: disconnected.promise,
    port: 0,
    gatewayUrl: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer((request, response) => {
    if (request.url === '/stay') {
      connected.resolve()
      response.once('close', disconnected.resolve)
      return
    }
    host.reached = true
    response.end()
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  host.port = (server.address() as AddressInfo).port
  host.gatewayUrl = `http://127.0.0.1:${host.port}`
  return host
}

const withinSeconds = (seconds: number, promise: Promise<void>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(seconds * 1_000, false, { ref: false })])
