import type { RunnerConfig } from '../platform/config.ts'
import { addHealthRoutes } from '../platform/http/health-routes.ts'
import { createHttpServer } from '../platform/http/http-server.ts'
import { NotReady, Readiness } from '../platform/http/readiness.ts'
import { createLog } from '../platform/log.ts'
import { type Running, serveHttp } from './running-process.ts'

export async function startRunner(config: RunnerConfig): Promise<Running> {
  const log = createLog('runner', config.log)
  const readiness = new Readiness({ gateway: { essential: true, check: () => checkGateway(config.gatewayUrl) } }, log)
  const server = createHttpServer(config.http, log)
  addHealthRoutes(server, readiness)
  return serveHttp(server, { config: config.http, readiness, release: async () => {} })
}

async function checkGateway(url: string): Promise<void> {
  const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(2_000), redirect: 'error' })
  if (!answer.ok) throw new NotReady('unreachable', `the gateway answers ${answer.status}`)
}
