import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { RunnerConfig } from '../platform/config.ts'
import { addHealthRoutes } from '../platform/http/health-routes.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import { NotReady, Readiness } from '../platform/http/readiness.ts'
import { createLog, type Log } from '../platform/log.ts'
import type { CodingAgent } from '../runner/agents/coding-agent.ts'
import { PiAgent } from '../runner/agents/pi/pi-agent.ts'
import { GatewayClient } from '../runner/gateway-client.ts'
import { Box } from '../runner/sandbox/box.ts'
import { type BoxGroups, openBoxGroups } from '../runner/sandbox/cgroup.ts'
import { explainFailure } from '../runner/sandbox/explain-failure.ts'
import { testSandbox } from '../runner/sandbox/self-test.ts'
import { openWayOut } from '../runner/sandbox/way-out.ts'
import { turnMounts } from '../runner/turn-work.ts'
import { startWorkLoop } from '../runner/work-loop.ts'
import { HostNotFit } from './host-not-fit.ts'
import { type Running, serveHttp } from './running-process.ts'

export async function startRunner(config: RunnerConfig): Promise<Running> {
  const log = createLog('runner', config.log)
  const { gatewayUrl, token, turnsAtOnce, finishSeconds } = config
  // For all calls of this process: it calls nobody but the gateway.
  if (config.gatewayCaPem) setDefaultCACertificates([...getCACertificates('default'), config.gatewayCaPem])

  const engine = new PiAgent()
  const groups = openGroups(log)
  await refuseWithoutWalls(engine, groups)
  await warmUp(engine, groups)

  const readiness = new Readiness({ gateway: { essential: true, check: () => checkGateway(gatewayUrl) } }, log)
  const server = createHttpServer(config.http, log)
  addHealthRoutes(server, readiness)
  const http = await serveHttp(server, { config: config.http, readiness, release: async () => {} })
  const gateway = new GatewayClient({ gatewayUrl, token })
  const loop = startWorkLoop({ engine, gateway, gatewayUrl, groups, log }, { turnsAtOnce })
  log.info({ engine: engine.name, turnsAtOnce, controlGroups: groups !== undefined }, 'ready: waiting for turns')
  return {
    stopDelaySeconds: http.stopDelaySeconds + finishSeconds,
    async stop() {
      readiness.stopping()
      await loop.stop(finishSeconds)
      await http.stop()
    },
  }
}

function openGroups(log: Log): BoxGroups | undefined {
  const opened = openBoxGroups()
  if (!opened.groups)
    log.warn(
      { reason: opened.reason },
      'no control groups: the memory of a turn is watched, not held; with systemd, set Delegate=yes',
    )
  return opened.groups
}

/** An agent that nothing holds is worse than none. */
async function refuseWithoutWalls(engine: CodingAgent, groups: BoxGroups | undefined): Promise<void> {
  if (process.platform !== 'linux') throw new HostNotFit(['The sandbox is made by Linux: run the runner there.'])
  const tested = await testSandbox({ mounts: turnMounts(engine), groups })
  if (tested.kind === 'failed') throw new HostNotFit(tested.failures.map(explainFailure))
}

async function warmUp(engine: CodingAgent, groups: BoxGroups | undefined): Promise<void> {
  await using nowhere = await openWayOut({ gatewayUrl: 'http://127.0.0.1:9', token: 'none', paths: [] })
  await using box = await Box.open({ mounts: turnMounts(engine), gatewayDirectory: nowhere.directory, groups })
  await engine.warmUp(box)
}

async function checkGateway(url: string): Promise<void> {
  const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(2_000), redirect: 'error' })
  if (!response.ok) throw new NotReady('unreachable', `the gateway answers ${response.status}`)
}
