import { answer, type Route, route } from '../route.ts'
import { describeSession, type SessionParts, SessionSchema } from './session-answer.ts'

export function signOutRoute(parts: SessionParts): Route {
  return route({
    method: 'DELETE',
    url: '/v2/session',
    access: 'session',
    name: 'signOut',
    tag: 'People',
    summary: 'Sign out',
    description: 'The session has ended when this answers, everywhere.',
    schemas: { answers: { 200: SessionSchema } },
    async handle({ http }) {
      const { setCookie } = await parts.sessions.signOut(http.cookie)
      return answer(200, await describeSession(parts, ''), { 'set-cookie': setCookie })
    },
  })
}
