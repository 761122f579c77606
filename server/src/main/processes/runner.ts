import { availableParallelism } from 'node:os'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { RunnerConfig } from '../../platform/config.ts'
import { addHealthRoutes } from '../../platform/http/health-routes.ts'
import { createHttpServer } from '../../platform/http/http-server.ts'
import { ComponentNotReadyError, Readiness } from '../../platform/http/readiness.ts'
import { createLog } from '../../platform/log.ts'
import { setMetric } from '../../platform/metrics/metrics.ts'
import type { CodingAgent } from '../../runner/agents/coding-agent.ts'
import { PiAgent } from '../../runner/agents/pi/pi-agent.ts'
import { DocsChecks } from '../../runner/checks/docs-checks.ts'
import { listSandboxMounts } from '../../runner/execute-turn.ts'
import { GatewayClient } from '../../runner/gateway-client.ts'
import { openSandboxCgroupFactory, type SandboxCgroupFactory } from '../../runner/sandbox/cgroup.ts'
import { describeSelfTestFailure } from '../../runner/sandbox/describe-self-test-failure.ts'
import { openEgressSocket } from '../../runner/sandbox/egress-socket.ts'
import { fitSandboxLimits, readAvailableMemoryBytes, type SandboxLimits } from '../../runner/sandbox/limits.ts'
import { Sandbox } from '../../runner/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../runner/sandbox/sandbox-process.ts'
import { runSandboxSelfTest } from '../../runner/sandbox/self-test.ts'
import { startWorkLoop, type WorkLoop } from '../../runner/work-loop.ts'
import { HostRequirementsError } from './host-requirements-error.ts'
import { type RunningProcess, serveHttp } from './running-process.ts'

export async function startRunner(config: RunnerConfig): Promise<RunningProcess> {
  const log = createLog('runner', config.log)
  const { gatewayUrl, token, maxConcurrentTurns, shutdownGraceSeconds } = config
  // Set for the whole process, because it calls nothing but the gateway.
  if (config.gatewayCaPem) setDefaultCACertificates([...getCACertificates('default'), config.gatewayCaPem])

  const agent = new PiAgent()
  const { cgroups, reason } = openSandboxCgroupFactory()
  const sandbox = { mounts: listSandboxMounts(agent), cgroups, limits: fitLimits(maxConcurrentTurns, cgroups) }
  if (!cgroups && config.cgroups === 'required') throw missingCgroups(reason)
  await requireSandbox(sandbox)
  const docsChecks = new DocsChecks()
  await warmUp([agent, docsChecks], sandbox)

  let loop: WorkLoop | undefined
  const checkConnection = async () => {
    if (loop?.isTokenRejected)
      throw new ComponentNotReadyError('unreachable', 'the gateway rejected the token of this runner')
    await checkGateway(gatewayUrl)
  }
  const readiness = new Readiness({ gateway: { essential: true, check: checkConnection } }, log)
  const server = createHttpServer(config.http, log, { name: 'runner' })
  addHealthRoutes(server, readiness)
  const http = await serveHttp(server, { config: config.http, readiness, release: async () => {} })
  const gateway = new GatewayClient({ gatewayUrl, token })
  const refusal = Promise.withResolvers<never>()
  // Only the gateway knows which projects the runner serves, and it may not be reachable yet.
  const beforeClaiming = async (stop: AbortSignal) => {
    if (cgroups || config.cgroups === 'optional') return
    if (!(await gateway.describeRunner(stop)).isShared) return
    const error = missingCgroups(reason)
    refusal.reject(error)
    throw error
  }
  loop = startWorkLoop(
    { agent, docsChecks, gateway, gatewayUrl, cgroups, limits: sandbox.limits, log },
    { maxConcurrentTurns, beforeClaiming },
  )
  if (!cgroups)
    log.warn({ reason }, 'no cgroup: the runner itself enforces the limits of turns; with systemd, set Delegate=yes')
  log.info(
    {
      agent: agent.name,
      maxConcurrentTurns,
      hasCgroups: cgroups !== undefined,
      turnMemoryBytes: sandbox.limits.memoryBytes,
      turnWorkspaceBytes: sandbox.limits.workspace.sizeBytes,
    },
    'ready: waiting for turns',
  )
  return {
    failed: refusal.promise,
    shutdownDelaySeconds: http.shutdownDelaySeconds + shutdownGraceSeconds,
    async stop() {
      readiness.markStopping()
      await loop?.stop(shutdownGraceSeconds)
      await http.stop()
    },
  }
}

const missingCgroups = (reason: string | undefined) =>
  new HostRequirementsError([
    `The runner has no delegated cgroup (${reason}), so that the kernel cannot limit the memory and the CPU time of a turn, and a turn ` +
      'could slow down or end turns of other projects. Do one of the following (docs/runners.md#cgroups): with systemd, set Delegate=yes; ' +
      'in a container, give the runner a writable cgroup; serve only named projects, with admin runner create --projects; ' +
      'or set COLOPHON_RUNNER_CGROUPS=optional to accept weaker limits.',
  ])

function fitLimits(maxConcurrentTurns: number, cgroups: SandboxCgroupFactory | undefined): SandboxLimits {
  const availableMemoryBytes = readAvailableMemoryBytes()
  const limits = fitSandboxLimits({
    availableMemoryBytes,
    availableCpus: availableParallelism(),
    maxConcurrentTurns,
    hasCgroups: cgroups !== undefined,
  })
  if (limits) return limits
  const mebibytes = Math.floor(availableMemoryBytes / 1024 ** 2)
  throw new HostRequirementsError([
    `${mebibytes} MiB of memory are too little for ${maxConcurrentTurns} concurrent turns. Raise the memory limit of the runner, or lower COLOPHON_RUNNER_MAX_CONCURRENT_TURNS.`,
  ])
}

type TurnSandboxOptions = Omit<SandboxOptions, 'gatewayDirectory'>

/** The runner does not start without a working sandbox. */
async function requireSandbox(options: TurnSandboxOptions): Promise<void> {
  if (process.platform !== 'linux')
    throw new HostRequirementsError(['The sandbox requires Linux. Start the runner on a Linux machine.'])
  setMetric('colophon_runner_self_test_success', {}, 0)
  const result = await runSandboxSelfTest(options)
  if (result.kind === 'failed') throw new HostRequirementsError(result.failures.map(describeSelfTestFailure))
  setMetric('colophon_runner_self_test_success', {}, 1)
}

async function warmUp(programs: readonly (CodingAgent | DocsChecks)[], options: TurnSandboxOptions): Promise<void> {
  for (const program of programs) {
    await using egress = await openEgressSocket({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', allowedPaths: [] })
    await using sandbox = await Sandbox.open({ ...options, gatewayDirectory: egress.directory })
    await program.warmUp(sandbox)
  }
}

async function checkGateway(url: string): Promise<void> {
  const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(2_000), redirect: 'error' })
  if (!response.ok)
    throw new ComponentNotReadyError('unreachable', `the gateway responded with status ${response.status}`)
}
