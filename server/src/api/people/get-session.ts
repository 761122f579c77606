import { type Route, respond, route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function getSessionRoute(deps: SessionDeps): Route {
  return route({
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
      respond(200, await describeSession(deps, http.cookieHeader), { 'cache-control': 'no-store' }),
  })
}
