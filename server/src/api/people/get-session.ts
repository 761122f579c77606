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
    summary: 'Who is signed in, and how one can',
    schemas: { responses: { 200: SessionSchema } },
    handle: async ({ http }) => respond(200, await describeSession(deps, http.cookie), { 'cache-control': 'no-store' }),
  })
}
