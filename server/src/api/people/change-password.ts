import Type from 'typebox'
import { MinuteLimit } from '../minute-limit.ts'
import { answer, type Route, route } from '../route.ts'
import { AnyPassword, NewPassword } from './person-fields.ts'
import { type SessionParts, SessionSchema, signedIn } from './session-answer.ts'

export function changePasswordRoute(parts: SessionParts): Route {
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
      answers: { 200: SessionSchema },
    },
    refuses: ['rate_limited'],
    async handle({ session, body: { currentPassword, newPassword }, http }) {
      tries.take(session.person.id)
      const cookies = await parts.sessions.changePassword(http.cookie, currentPassword, newPassword)
      return answer(200, ...(await signedIn(parts, cookies)))
    },
  })
}
