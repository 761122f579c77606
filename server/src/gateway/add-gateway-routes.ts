/** Registers the routes of the runner API. A caller is checked before the body is read, and takes no memory if it is rejected. */
import type { FastifyRequest } from 'fastify'
import type { AttemptStore } from '../jobs/attempt-store.ts'
import type { RunnerStore } from '../jobs/runner-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { registerRoute, sendResponse } from '../platform/http/register-route.ts'
import { setTraceParent } from '../platform/http/trace-requests.ts'
import { attemptLostProblem, hashAttemptToken, requireRunner } from './authenticate-attempt.ts'
import type { AttemptCaller, CallerAccess, GatewayRoute, RunnerCaller } from './gateway-route.ts'
import { addReportParser } from './report-body.ts'

export interface GatewayRouteDeps {
  runners: RunnerStore
  attempts: AttemptStore
}

/** Bodies of up to this size reserve no memory. */
const smallBodyBytes = 64 * 1024

export function addGatewayRoutes(server: HttpServer, routes: readonly GatewayRoute[], deps: GatewayRouteDeps): void {
  const takeAttachment = addReportParser(server)
  for (const route of routes) {
    const { access, largeBody } = route
    registerRoute<RunnerCaller | AttemptCaller, Parameters<GatewayRoute['handle']>[0]>(server, route, {
      maxBodyBytes: largeBody?.maxBytes,
      async admit(request, reply) {
        const caller = await authenticate(request, access, deps)
        const isSmall = Number(request.headers['content-length']) <= smallBodyBytes
        if (!isSmall) largeBody?.memory.reserve(request, reply)
        return caller
      },
      readmit: (request) => authenticate(request, access, deps),
      async respond(request, reply, enter) {
        const routeRequest = {
          params: request.params,
          query: request.query,
          body: request.body,
          headers: request.headers,
          attachment: takeAttachment(request),
          isDisconnected: () => reply.raw.destroyed,
          ...(await enter()),
        } as Parameters<GatewayRoute['handle']>[0]
        return sendResponse(reply, await route.handle(routeRequest))
      },
    })
  }
}

/** What the handler gets, in addition to the request. */
async function authenticate(
  request: FastifyRequest,
  access: CallerAccess,
  { runners, attempts }: GatewayRouteDeps,
): Promise<RunnerCaller | AttemptCaller> {
  if (access === 'runner') return { runner: await requireRunner(request, runners) }
  const attemptTokenHash = hashAttemptToken(request)
  const attempt = await attempts.findLive(attemptTokenHash)
  if (!attempt) throw attemptLostProblem()
  setTraceParent(request, attempt.traceparent)
  return { attempt, attemptTokenHash }
}
