import Type from 'typebox'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { exampleLinkToken, LinkToken, NewPassword } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

export function resetPasswordRoute(deps: SessionDeps): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/password-reset',
    access: 'public',
    name: 'resetPassword',
    tag: 'People',
    summary: 'Reset a password',
    description:
      'Sets a new password with the token of a one-time link, which is created with `colophon-server admin ' +
      'password-link create`. Ends all sessions of the person, invalidates their other links, and signs them in.',
    schemas: {
      body: Type.Object(
        { token: LinkToken, newPassword: NewPassword },
        {
          additionalProperties: false,
          examples: [{ token: exampleLinkToken, newPassword: 'a longer sentence of my own' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    responseHeaders: { 200: ['Set-Cookie'] },
    problems: ['not_found', 'cross_origin'],
    async handle({ body: { token, newPassword } }) {
      const email = await deps.people.resetPassword(token, newPassword)
      return createResponse(200, ...(await signedInResponse(deps, await deps.sessions.signIn(email, newPassword, ''))))
    },
  })
}
