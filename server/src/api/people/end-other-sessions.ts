import Type from 'typebox'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function endOtherSessionsRoute(deps: SessionDeps): Route {
  return defineRoute({
    method: 'DELETE',
    url: '/v2/sessions',
    access: 'session',
    name: 'endOtherSessions',
    tag: 'People',
    summary: 'End other sessions',
    description: 'Ends all sessions of the signed-in person except the one that sends this request.',
    schemas: {
      query: Type.Object(
        {
          except: Type.Literal('current', {
            description: 'Must be `current`: the session that sends the request is kept.',
          }),
        },
        { additionalProperties: false },
      ),
      responses: { 200: SessionSchema },
    },
    async handle({ http }) {
      await deps.sessions.endOthers(http.cookieHeader)
      return createResponse(200, await describeSession(deps, http.cookieHeader))
    },
  })
}
