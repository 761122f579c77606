import Type from 'typebox'
import { MinuteLimit } from '../minute-limit.ts'
import { type Route, respond, route } from '../route.ts'
import { AnyPassword, NewPassword } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedIn } from './session-response.ts'

export function changePasswordRoute(deps: SessionDeps): Route {
  const tries = new MinuteLimit('tries to change the password', 10)
  return route({
    method: 'PATCH',
    url: '/v2/session/password',
    access: 'session',
    name: 'changePassword',
    tag: 'People',
    summary: 'Change your password',
    description: 'Ends every other session of yours.',
    schemas: {
      body: Type.Object(
        { currentPassword: AnyPassword, newPassword: NewPassword },
        {
          additionalProperties: false,
          examples: [{ currentPassword: 'correct horse battery staple', newPassword: 'a longer sentence of my own' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    refuses: ['rate_limited'],
    async handle({ session, body: { currentPassword, newPassword }, http }) {
      tries.take(session.person.id)
      const cookies = await deps.sessions.changePassword(http.cookie, currentPassword, newPassword)
      return respond(200, ...(await signedIn(deps, cookies)))
    },
  })
}
