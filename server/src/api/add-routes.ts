/** Registers routes with the server. The declaration of a route is what is enforced and what is documented. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpServer } from '../platform/http/http-server.ts'
import { disableBodyParsing, LargeBodyReader } from '../platform/http/large-body-reader.ts'
import { type AuthorizeDeps, type AuthorizedRequest, authorize } from './authorize.ts'
import { toClientNetwork } from './client-network.ts'
import { MinuteRateLimit } from './minute-rate-limit.ts'
import type { AccessRequirement, Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRequirement
  }
}

export interface DeclaredRoute {
  method: string
  url: string
  access: AccessRequirement
}

/** Call this before any route is added: a route that declares no access cannot be registered, in any way. */
export function enforceDeclaredAccess(server: HttpServer): readonly DeclaredRoute[] {
  const declared: DeclaredRoute[] = []
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`Route ${method} ${url} does not declare its access.`)
    for (const each of [method].flat()) declared.push({ method: each, url, access: config.access })
  })
  return declared
}

/** Per route that reads its bodies itself, so that a flood on one route, such as beacons from the internet, blocks no other. */
const maxLargeBodyBytes = 32 * 1024 * 1024

const maxPerMinute = 600

export function addRoutes(server: HttpServer, routes: readonly Route[], deps: AuthorizeDeps): void {
  const reads = new MinuteRateLimit('reads', maxPerMinute)
  // By project and not by key: a key that can create keys could otherwise multiply its limit.
  const changes = new MinuteRateLimit('changes to the project', maxPerMinute)
  const admitted = new WeakMap<FastifyRequest, AuthorizedRequest>()
  const incompleteOnArrival = new WeakSet<FastifyRequest>()
  const add = (target: HttpServer, route: Route) => {
    const networkLimit =
      route.maxPerMinutePerNetwork === undefined
        ? undefined
        : new MinuteRateLimit('attempts from your network', route.maxPerMinutePerNetwork)
    const largeBodies = new LargeBodyReader(maxLargeBodyBytes)
    const { params, query, body, headers } = route.schemas
    target.route({
      method: route.method,
      url: route.url,
      config: { access: route.access, largeBody: route.largeBody !== undefined, quiet: route.quiet === true },
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && !route.largeBody && { body }),
        ...(headers && { headers }),
      },
      onRequest: async (request, reply) => {
        // Responses for one caller, including errors, are not cached, unless the route sets another header.
        if (route.access !== 'public') reply.header('cache-control', 'no-store')
        admitted.set(request, await authorize(request, route, deps))
        // A caller can lose access while a slow body arrives, and is then checked again. A complete request is not.
        if (body && !request.raw.complete) incompleteOnArrival.add(request)
      },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        networkLimit?.consume(toClientNetwork(request.ip))
        return route.largeBody
          ? largeBodies.read(request.raw, route.largeBody, (parsed) => perform(route, request, reply, parsed))
          : perform(route, request, reply, request.body)
      },
    })
  }
  const perform = async (route: Route, request: FastifyRequest, reply: FastifyReply, body: unknown) => {
    const { callerId, context, recheckAccess } = admitted.get(request) ?? neverAdmitted()
    if (incompleteOnArrival.has(request)) await recheckAccess()
    if (callerId !== undefined && route.method === 'GET') reads.consume(callerId)
    if (route.access === 'project:write') changes.consume((request.params as { projectId: string }).projectId)
    const routeRequest = {
      params: request.params,
      query: request.query,
      body,
      headers: request.headers,
      http: { requestId: request.id, ipAddress: request.ip, cookieHeader: request.headers.cookie ?? '' },
      recheckAccess: recheckAccess,
      ...context,
    } as Parameters<Route['handle']>[0]
    if (route.stream && accepts(request, route.stream.contentType)) {
      reply.type(route.stream.contentType).header('x-accel-buffering', 'no') // otherwise proxies buffer the stream
      return reply.send(await route.stream.open(routeRequest))
    }
    const response = await route.handle(routeRequest)
    return reply
      .code(response.status)
      .headers(response.headers ?? {})
      .send(response.body)
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

const neverAdmitted = (): never => {
  throw new Error('a request reached its handler without an access check')
}

/** Only if the client names the content type: a client that accepts anything gets JSON. */
const accepts = ({ headers, method }: FastifyRequest, contentType: string) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === contentType)
