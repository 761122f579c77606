import { type Route, respond, route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function signOutRoute(deps: SessionDeps): Route {
  return route({
    method: 'DELETE',
    url: '/v2/session',
    access: 'session',
    name: 'signOut',
    tag: 'People',
    summary: 'Sign out',
    description: 'The session has ended when this answers, everywhere.',
    schemas: { responses: { 200: SessionSchema } },
    async handle({ http }) {
      const { setCookie } = await deps.sessions.signOut(http.cookie)
      return respond(200, await describeSession(deps, ''), { 'set-cookie': setCookie })
    },
  })
}
