/** Registers routes: what a route declares is what is checked, documented and answered. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Key, KeyStore } from '../keys/key-store.ts'
import type { HttpServer } from '../platform/http/http-server.ts'
import { LargeBodies, leaveBodiesToRoutes } from '../platform/http/large-body.ts'
import { authenticate, revokedMeanwhile } from './authenticate.ts'
import { MinuteLimit } from './minute-limit.ts'
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
const mostLargeBodyBytes = 32 * 1024 * 1024

export function addRoutes(server: HttpServer, routes: readonly Route[], keys: KeyStore): void {
  const reads = new MinuteLimit('reads')
  // By project and not by key: a key that makes keys would have as many limits as it likes.
  const changes = new MinuteLimit('changes to the project')
  const keyOf = new WeakMap<FastifyRequest, Key>()
  const heldBody = new WeakSet<FastifyRequest>()
  const add = (scope: HttpServer, route: Route) => {
    const largeBodies = new LargeBodies(mostLargeBodyBytes)
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
      onRequest: async (request) => {
        if (route.access === 'public') return
        keyOf.set(request, await authenticate(request, route.access, keys))
        // A key that was looked up when all of the request was here is not looked up again: nobody gained time.
        if (body && !request.raw.complete) heldBody.add(request)
      },
      handler: async (request: FastifyRequest, reply: FastifyReply) =>
        route.reads
          ? largeBodies.read(request.raw, route.reads, (read) => perform(route, request, reply, read))
          : perform(route, request, reply, request.body),
    })
  }
  const perform = async (route: Route, request: FastifyRequest, reply: FastifyReply, body: unknown) => {
    const key = keyOf.get(request)
    if (key && heldBody.has(request) && !(await keys.isLive(key))) throw revokedMeanwhile()
    if (key && route.method === 'GET') reads.take(key.id)
    if (key && route.access === 'project:write') changes.take(key.projectId)
    const asked = {
      params: request.params,
      query: request.query,
      body,
      headers: request.headers,
      ...(key && { key, actor: { kind: 'key', keyId: key.id, requestId: request.id } }),
    } as Parameters<Route['handle']>[0]
    if (route.streams && accepts(request, route.streams.contentType)) {
      // Not to be kept by caches, nor held back by proxies until there is more of it.
      reply.type(route.streams.contentType).headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      return reply.send(await route.streams.open(asked))
    }
    const answer = await route.handle(asked)
    return reply
      .code(answer.status)
      .headers(answer.headers ?? {})
      .send(answer.body)
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

/** By name: a client that takes anything gets JSON. */
const accepts = ({ headers, method }: FastifyRequest, contentType: string) =>
  method === 'GET' &&
  (headers.accept ?? '').split(',').some((range) => range.split(';')[0]?.trim().toLowerCase() === contentType)
