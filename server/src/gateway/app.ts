/** The HTTP server that runners call, on its own port, which is not public. */
import type { HttpConfig } from '../platform/config.ts'
import { addHealthRoutes } from '../platform/http/health-routes.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBodyParser } from '../platform/http/json-body.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import { enforceDeclaredAccess } from '../platform/http/register-route.ts'
import { compileValidator } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import { addGatewayRoutes } from './add-gateway-routes.ts'
import type { GatewayAccess } from './gateway-route.ts'
import { addGitProxy, type GitProxyDeps } from './git-proxy.ts'
import { addModelRoutes, type ModelRouteDeps } from './model/model-routes.ts'
import { type RunnerApiDeps, runnerApiRoutes } from './runner-api.ts'

/** Runners may have slow connections and send up to 40 MB. They time out sooner themselves, and retry. */
const wholeRequestWithinMs = 150_000

export function createGateway({
  config,
  readiness,
  runnerApi,
  model,
  gitProxy,
  log,
}: {
  config: HttpConfig
  readiness: Readiness
  runnerApi: RunnerApiDeps
  model: ModelRouteDeps
  gitProxy: GitProxyDeps
  log: Log
}): HttpServer {
  const server = createHttpServer(config, log, { name: 'gateway', requestTimeoutMs: wholeRequestWithinMs })
  enforceDeclaredAccess<GatewayAccess>(server)
  addJsonBodyParser(server)
  server.setValidatorCompiler(compileValidator)
  addHealthRoutes(server, readiness)
  addGatewayRoutes(server, runnerApiRoutes(runnerApi), runnerApi)
  addModelRoutes(server, model)
  addGitProxy(server, gitProxy)
  return server
}
