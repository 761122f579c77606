import Type from 'typebox'
import { type Route, respond, route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function endOtherSessionsRoute(deps: SessionDeps): Route {
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
      responses: { 200: SessionSchema },
    },
    async handle({ http }) {
      await deps.sessions.endOthers(http.cookie)
      return respond(200, await describeSession(deps, http.cookie))
    },
  })
}
