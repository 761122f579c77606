/** What runners talk to: on a port of its own, which is not public. */
import type { HttpConfig } from '../platform/config.ts'
import { addHealthRoutes } from '../platform/http/health-routes.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import type { Log } from '../platform/log.ts'

export function createGateway({
  config,
  readiness,
  log,
}: {
  config: HttpConfig
  readiness: Readiness
  log: Log
}): HttpServer {
  const server = createHttpServer(config, log)
  addHealthRoutes(server, readiness)
  return server
}
