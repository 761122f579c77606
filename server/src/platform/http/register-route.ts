/** Registers declared routes with a server, and makes sure that every route declares its access. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpServer } from './http-server.ts'
import type { ResponseHeaders, RouteDeclaration, RouteSchemas } from './route.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: string
  }
}

export interface DeclaredRoute<Access extends string> {
  method: string
  url: string
  access: Access
}

/** Call this before any route is added: a route that declares no access cannot be registered, in any way. */
export function enforceDeclaredAccess<Access extends string>(server: HttpServer): readonly DeclaredRoute<Access>[] {
  const declared: DeclaredRoute<Access>[] = []
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.access === undefined) throw new Error(`Route ${method} ${url} does not declare its access.`)
    const access = config.access as Access
    for (const each of [method].flat()) declared.push({ method: each, url, access })
  })
  return declared
}

export interface RouteRegistration<Admitted> {
  /** Checks the caller, before the body is read. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<Admitted>
  /** Checks the caller again. */
  readmit(request: FastifyRequest, admitted: Admitted): Promise<Admitted>
  /** Call `enter` when the whole body has arrived. */
  respond(request: FastifyRequest, reply: FastifyReply, enter: () => Promise<Admitted>): Promise<FastifyReply>
  /** `respond` reads the body, and validates it. */
  readsBody?: boolean
  maxBodyBytes?: number | undefined
}

export function registerRoute<Admitted, Request>(
  server: HttpServer,
  { method, url, access, schemas, quiet, untraced }: RouteDeclaration<RouteSchemas, string, Request>,
  { admit, readmit, respond, readsBody = false, maxBodyBytes }: RouteRegistration<Admitted>,
): void {
  const { params, query, body, headers } = schemas
  const admissions = new WeakMap<FastifyRequest, { admitted: Admitted; isComplete: boolean }>()
  server.route({
    method,
    url,
    config: { access, largeBody: readsBody, quiet: quiet === true, untraced: untraced === true },
    ...(maxBodyBytes !== undefined && { bodyLimit: maxBodyBytes }),
    schema: {
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && !readsBody && { body }),
      ...(headers && { headers }),
    },
    onRequest: async (request, reply) => {
      const admitted = await admit(request, reply)
      admissions.set(request, { admitted, isComplete: body === undefined || request.raw.complete })
    },
    handler: async (request, reply) =>
      respond(request, reply, async () => {
        const { admitted, isComplete } = admissions.get(request) ?? neverAdmitted()
        // A caller can lose access while a slow body arrives.
        return isComplete ? admitted : readmit(request, admitted)
      }),
  })
}

const neverAdmitted = (): never => {
  throw new Error('a request reached its handler without an access check')
}

export const sendResponse = (
  reply: FastifyReply,
  { status, body, headers = {} }: { status: number; body: unknown; headers?: ResponseHeaders },
): FastifyReply => reply.code(status).headers(headers).send(body)
