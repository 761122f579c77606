import Type from 'typebox'
import { answer, type Route, route } from '../route.ts'
import { exampleToken, LinkToken, NewPassword } from './person-fields.ts'
import { type SessionParts, SessionSchema, signedIn } from './session-answer.ts'

export function resetPasswordRoute(parts: SessionParts): Route {
  return route({
    method: 'POST',
    url: '/v2/password-reset',
    access: 'public',
    name: 'resetPassword',
    tag: 'People',
    summary: 'Set a new password with a link that the operator made',
    description: 'Ends every session of that person, and signs in.',
    schemas: {
      body: Type.Object(
        { token: LinkToken, newPassword: NewPassword },
        {
          additionalProperties: false,
          examples: [{ token: exampleToken, newPassword: 'a longer sentence of my own' }],
        },
      ),
      answers: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'cross_origin'],
    async handle({ body: { token, newPassword } }) {
      const email = await parts.people.resetPassword(token, newPassword)
      return answer(200, ...(await signedIn(parts, await parts.sessions.signIn(email, newPassword, ''))))
    },
  })
}
