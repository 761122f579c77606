import Type from 'typebox'
import { type Route, respond, route } from '../route.ts'
import { exampleToken, LinkToken, NewPassword } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedIn } from './session-response.ts'

export function resetPasswordRoute(deps: SessionDeps): Route {
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
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'cross_origin'],
    async handle({ body: { token, newPassword } }) {
      const email = await deps.people.resetPassword(token, newPassword)
      return respond(200, ...(await signedIn(deps, await deps.sessions.signIn(email, newPassword, ''))))
    },
  })
}
