/** What runners talk to: on a port of its own, which is not public. */
import type { HttpConfig } from '../platform/config.ts'
import { addHealthRoutes } from '../platform/http/health-routes.ts'
import { createHttpServer, type HttpServer } from '../platform/http/http-server.ts'
import { addJsonBody } from '../platform/http/json-body.ts'
import type { Readiness } from '../platform/http/readiness.ts'
import { compileValidator } from '../platform/http/validation.ts'
import type { Log } from '../platform/log.ts'
import { addGitRead, type GitReadDeps } from './git-read.ts'
import { addModelRoutes, type ModelDeps } from './model/model-routes.ts'
import { addRunnerApi, type RunnerApiDeps } from './runner-api.ts'

/** Runners stand anywhere, and send up to 40 MB: they give up by themselves, and sooner, and try again. */
const wholeRequestWithinMs = 150_000

export function createGateway({
  config,
  readiness,
  runnerApi,
  model,
  gitRead,
  log,
}: {
  config: HttpConfig
  readiness: Readiness
  runnerApi: RunnerApiDeps
  model: ModelDeps
  gitRead: GitReadDeps
  log: Log
}): HttpServer {
  const server = createHttpServer(config, log, { wholeRequestWithinMs })
  addJsonBody(server)
  server.setValidatorCompiler(compileValidator)
  addHealthRoutes(server, readiness)
  addRunnerApi(server, runnerApi)
  addModelRoutes(server, model)
  addGitRead(server, gitRead)
  return server
}
