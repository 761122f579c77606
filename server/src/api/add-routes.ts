/** Registers routes with the server. The declaration of a route is what is enforced and what is documented. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatActor } from '../audit/audit-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { disableBodyParsing, LargeBodyReader } from '../platform/http/large-body-reader.ts'
import { registerRoute, sendResponse } from '../platform/http/register-route.ts'
import { type AuthorizeDeps, type AuthorizedRequest, authorize } from './authorize.ts'
import { toClientNetwork } from './client-network.ts'
import { toHttpDetails } from './http-details.ts'
import { MinuteRateLimit } from './minute-rate-limit.ts'
import type { Route } from './route.ts'

interface AdmittedRequest {
  request: FastifyRequest
  reply: FastifyReply
  body: unknown
  authorized: AuthorizedRequest
}

/** Per route that reads its bodies itself, so that a flood on one route, such as beacons from the internet, blocks no other. */
const maxLargeBodyBytes = 32 * 1024 * 1024
const maxLargeBodyBytesPerProject = 16 * 1024 * 1024

const maxPerMinute = 600

export function addRoutes(server: HttpServer, routes: readonly Route[], deps: AuthorizeDeps): void {
  const reads = new MinuteRateLimit('reads', maxPerMinute)
  // By project and not by key: a key that can create keys could otherwise multiply its limit.
  const changes = new MinuteRateLimit('changes to the project', maxPerMinute)
  const add = (target: HttpServer, route: Route) => {
    const { largeBody } = route
    const networkLimit =
      route.maxPerMinutePerNetwork === undefined
        ? undefined
        : new MinuteRateLimit('attempts from your network', route.maxPerMinutePerNetwork)
    const largeBodies = new LargeBodyReader(maxLargeBodyBytes, { maxBytesPerOwner: maxLargeBodyBytesPerProject })
    registerRoute<AuthorizedRequest, Parameters<Route['handle']>[0]>(target, route, {
      readsBody: largeBody !== undefined,
      async admit(request, reply) {
        // Responses for one caller, including errors, are not cached, unless the route sets another header.
        if (route.access !== 'public') reply.header('cache-control', 'no-store')
        // The address of people and keys, and of those who try to be one. Never that of a reader of a site.
        if (route.access !== 'public' || route.maxPerMinutePerNetwork !== undefined)
          request.log = request.log.child({ ipAddress: request.ip })
        const authorized = await authorize(request, route, deps)
        if (authorized.actor) request.log = request.log.child({ actor: formatActor(authorized.actor) })
        return authorized
      },
      async readmit(_request, authorized) {
        await authorized.recheckAccess()
        return authorized
      },
      async respond(request, reply, enter) {
        networkLimit?.consume(toClientNetwork(request.ip))
        const { projectId } = request.params as { projectId?: string } // the caller was admitted to it
        return largeBody
          ? largeBodies.read(request.raw, { ...largeBody, owner: projectId }, async (body) =>
              perform(route, { request, reply, body, authorized: await enter() }),
            )
          : perform(route, { request, reply, body: request.body, authorized: await enter() })
      },
    })
  }
  const perform = async (route: Route, { request, reply, body, authorized }: AdmittedRequest) => {
    const { callerId, context, recheckAccess } = authorized
    if (callerId !== undefined && route.method === 'GET') reads.consume(callerId)
    if (route.access === 'project:write') changes.consume((request.params as { projectId: string }).projectId)
    const routeRequest = {
      params: request.params,
      query: request.query,
      body,
      headers: request.headers,
      http: toHttpDetails(request),
      recheckAccess,
      ...context,
    } as Parameters<Route['handle']>[0]
    if (route.stream && accepts(request, route.stream.contentType)) {
      reply.type(route.stream.contentType).header('x-accel-buffering', 'no') // otherwise proxies buffer the stream
      return reply.send(await route.stream.open(routeRequest))
    }
    return sendResponse(reply, await route.handle(routeRequest))
  }
  for (const route of routes) {
    if (!route.largeBody) add(server, route)
    else
      server.register(async (child) => {
        disableBodyParsing(child)
        add(child, route)
      })
  }
}

/** Only if the client names the content type: a client that accepts anything gets JSON. */
const accepts = ({ headers, method }: FastifyRequest, contentType: string) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === contentType)
