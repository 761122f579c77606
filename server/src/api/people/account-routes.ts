/** The first account of the instance, and the passwords of accounts. `accept-invitation.ts` creates all other accounts. */
import Type from 'typebox'
import { createResponse } from '../../platform/http/route.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { defineRoute, type Route } from '../route.ts'
import { CurrentPassword, Email, exampleLinkToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedInResponse, toBrowser } from './session-response.ts'

export function accountRoutes(deps: SessionDeps): Route[] {
  const passwordChanges = new MinuteRateLimit('attempts to change the password', 10)
  return [
    defineRoute({
      method: 'POST',
      url: '/v2/setup/owner',
      access: 'public',
      name: 'createFirstOwner',
      tag: 'People',
      summary: 'Create the first owner',
      description:
        'Creates the first account and signs it in. It becomes an operator of this instance and the owner of all projects ' +
        'that have no members. Requires the token of a one-time link, which `api` logs at startup while the instance has ' +
        'no operator. The link expires after 24 hours.',
      schemas: {
        body: Type.Object(
          { token: LinkToken, name: PersonName, email: Email, password: NewPassword },
          {
            additionalProperties: false,
            examples: [
              {
                token: exampleLinkToken,
                name: 'Ada Example',
                email: 'owner@example.com',
                password: 'correct horse battery staple',
              },
            ],
          },
        ),
        responses: { 201: SessionSchema },
      },
      maxPerMinutePerNetwork: 30,
      responseHeaders: { 201: ['Set-Cookie'] },
      problems: ['not_found', 'cross_origin'],
      async handle({ body: { token, ...person }, http }) {
        await deps.people.createFirstOwner(token, person)
        const cookies = await deps.sessions.signIn(person.email, person.password, toBrowser(http))
        return createResponse(201, ...(await signedInResponse(deps, cookies, { method: 'owner_link', http })))
      },
    }),
    defineRoute({
      method: 'PATCH',
      url: '/v2/session/password',
      access: 'session',
      allowsMissingSecondFactor: true,
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
      async handle({ session: { person }, body, http }) {
        deps.sessions.assertPasswordsAllowed()
        passwordChanges.consume(person.id)
        const cookies = await deps.sessions.changePassword(person, toBrowser(http), body)
        await deps.signInAudit.record(person, 'password.changed', http)
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'password', http })))
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/password-reset',
      access: 'public',
      name: 'resetPassword',
      tag: 'People',
      summary: 'Reset a password',
      description:
        'Sets a new password with the token of a one-time link, which is created with `colophon-server admin ' +
        'password-link create`. Ends all sessions of the person, invalidates their other links, and signs them in. Where the ' +
        'OpenID provider is required, only operators can use such a link.',
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
      async handle({ body: { token, newPassword }, http }) {
        const operatorsOnly = !deps.sessions.allowsPasswords
        const person = await deps.people.resetPassword(token, newPassword, { operatorsOnly })
        await deps.signInAudit.record(person, 'password.reset', http)
        const browser = { ...toBrowser(http), cookieHeader: '' }
        const cookies = await deps.sessions.signIn(person.email, newPassword, browser)
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'password_link', http })))
      },
    }),
  ]
}
