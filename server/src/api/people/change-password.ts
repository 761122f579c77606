import Type from 'typebox'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { CurrentPassword, NewPassword } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

export function changePasswordRoute(deps: SessionDeps): Route {
  const attempts = new MinuteRateLimit('attempts to change the password', 10)
  return defineRoute({
    method: 'PATCH',
    url: '/v2/session/password',
    access: 'session',
    name: 'changePassword',
    tag: 'People',
    summary: 'Change your password',
    description:
      'Changes the password of the signed-in person, ends all their other sessions, and invalidates their unused links for ' +
      'setting a password.',
    schemas: {
      body: Type.Object(
        { currentPassword: CurrentPassword, newPassword: NewPassword },
        {
          additionalProperties: false,
          examples: [{ currentPassword: 'correct horse battery staple', newPassword: 'a longer sentence of my own' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    responseHeaders: { 200: ['Set-Cookie'] },
    problems: ['rate_limited'],
    async handle({ session, body: { currentPassword, newPassword }, http }) {
      attempts.consume(session.person.id)
      const cookies = await deps.sessions.changePassword(http.cookieHeader, currentPassword, newPassword)
      return createResponse(200, ...(await signedInResponse(deps, cookies)))
    },
  })
}
