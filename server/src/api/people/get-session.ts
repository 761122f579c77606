import { answer, type Route, route } from '../route.ts'
import { describeSession, type SessionParts, SessionSchema } from './session-answer.ts'

export function getSessionRoute(parts: SessionParts): Route {
  return route({
    method: 'GET',
    url: '/v2/session',
    access: 'public',
    quiet: true,
    name: 'getSession',
    tag: 'People',
    summary: 'Who is signed in, and how one can',
    schemas: { answers: { 200: SessionSchema } },
    handle: async ({ http }) => answer(200, await describeSession(parts, http.cookie), { 'cache-control': 'no-store' }),
  })
}
