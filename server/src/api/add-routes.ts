/** Registers routes: what a route declares is what is checked, documented and answered. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpServer } from '../platform/http/http-server.ts'
import { LargeBodies, leaveBodiesToRoutes } from '../platform/http/large-body.ts'
import { type AdmitDeps, type Admitted, admit } from './admit.ts'
import { MinuteLimit } from './minute-limit.ts'
import { placeOf } from './place.ts'
import type { Access, Route } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
  }
}

export interface DeclaredRoute {
  method: string
  url: string
  access: Access
}

/** Comes before any route: one that does not say who may call it cannot be registered, by whatever way. */
export function collectDeclaredRoutes(server: HttpServer): readonly DeclaredRoute[] {
  const declared: DeclaredRoute[] = []
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`Route ${method} ${url} does not declare who may call it.`)
    for (const each of [method].flat()) declared.push({ method: each, url, access: config.access })
  })
  return declared
}

/** For each route that reads its bodies itself: whoever fills one of them, like strangers with beacons, stops no other. */
const maxLargeBodyBytes = 32 * 1024 * 1024

const maxPerMinute = 600

export function addRoutes(server: HttpServer, routes: readonly Route[], deps: AdmitDeps): void {
  const reads = new MinuteLimit('reads', maxPerMinute)
  // By project and not by key: a key that makes keys would have as many limits as it likes.
  const changes = new MinuteLimit('changes to the project', maxPerMinute)
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const heldBody = new WeakSet<FastifyRequest>()
  const add = (scope: HttpServer, route: Route) => {
    const limitOfPlace =
      route.maxPerMinutePerNetwork === undefined
        ? undefined
        : new MinuteLimit('tries from where you are', route.maxPerMinutePerNetwork)
    const largeBodies = new LargeBodies(maxLargeBodyBytes)
    const { params, query, body, headers } = route.schemas
    scope.route({
      method: route.method,
      url: route.url,
      config: { access: route.access, largeBody: route.reads !== undefined, quiet: route.quiet === true },
      schema: {
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && !route.reads && { body }),
        ...(headers && { headers }),
      },
      onRequest: async (request, reply) => {
        // What is for one caller is in no cache, a refusal included; an answer may say otherwise.
        if (route.access !== 'public') reply.header('cache-control', 'no-store')
        admitted.set(request, await admit(request, route, deps))
        // Who was looked up when all of the request was here is not looked up again: nobody gained time.
        if (body && !request.raw.complete) heldBody.add(request)
      },
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        limitOfPlace?.take(placeOf(request.ip))
        return route.reads
          ? largeBodies.read(request.raw, route.reads, (read) => perform(route, request, reply, read))
          : perform(route, request, reply, request.body)
      },
    })
  }
  const perform = async (route: Route, request: FastifyRequest, reply: FastifyReply, body: unknown) => {
    const { id, who, recheck } = admitted.get(request) ?? neverAdmitted()
    if (heldBody.has(request)) await recheck()
    if (id !== undefined && route.method === 'GET') reads.take(id)
    if (route.access === 'project:write') changes.take((request.params as { projectId: string }).projectId)
    const asked = {
      params: request.params,
      query: request.query,
      body,
      headers: request.headers,
      http: { requestId: request.id, address: request.ip, cookie: request.headers.cookie ?? '' },
      recheck,
      ...who,
    } as Parameters<Route['handle']>[0]
    if (route.streams && accepts(request, route.streams.contentType)) {
      reply.type(route.streams.contentType).header('x-accel-buffering', 'no') // else proxies wait for more of it
      return reply.send(await route.streams.open(asked))
    }
    const response = await route.handle(asked)
    return reply
      .code(response.status)
      .headers(response.headers ?? {})
      .send(response.body)
  }
  for (const route of routes) {
    if (!route.reads) add(server, route)
    else
      server.register(async (scope) => {
        leaveBodiesToRoutes(scope)
        add(scope, route)
      })
  }
}

const neverAdmitted = (): never => {
  throw new Error('a request came to a handler without having been let in')
}

/** By name: a client that takes anything gets JSON. */
const accepts = ({ headers, method }: FastifyRequest, contentType: string) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === contentType)
