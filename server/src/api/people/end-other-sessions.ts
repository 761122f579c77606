import Type from 'typebox'
import { answer, type Route, route } from '../route.ts'
import { describeSession, type SessionParts, SessionSchema } from './session-answer.ts'

export function endOtherSessionsRoute(parts: SessionParts): Route {
  return route({
    method: 'DELETE',
    url: '/v2/sessions',
    access: 'session',
    name: 'endOtherSessions',
    tag: 'People',
    summary: 'End all of your sessions but this one',
    schemas: {
      query: Type.Object(
        { except: Type.Literal('current', { description: 'Must be `current`: your own session is kept.' }) },
        { additionalProperties: false },
      ),
      answers: { 200: SessionSchema },
    },
    async handle({ http }) {
      await parts.sessions.endOthers(http.cookie)
      return answer(200, await describeSession(parts, http.cookie))
    },
  })
}
