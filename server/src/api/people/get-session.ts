import { createResponse, defineRoute, type Route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function getSessionRoute(deps: SessionDeps): Route {
  return defineRoute({
    method: 'GET',
    url: '/v2/session',
    access: 'public',
    quiet: true,
    name: 'getSession',
    tag: 'People',
    summary: 'Get the session',
    description: 'Returns who is signed in, if anyone, and how people can sign in to this instance.',
    schemas: { responses: { 200: SessionSchema } },
    handle: async ({ http }) =>
      createResponse(200, await describeSession(deps, http.cookieHeader), { 'cache-control': 'no-store' }),
  })
}
