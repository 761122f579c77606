import Type from 'typebox'
import { toClientNetwork } from '../client-network.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { CurrentPassword, Email } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

export function signInRoute(deps: SessionDeps): Route {
  // Attempts are limited by network, or an attacker could try one password on all accounts, and by person, or many machines
  // could guess the password of one account. The limit for a person on one network is low, the limit for a person alone is
  // high: otherwise anyone who knows an email address could lock its owner out from anywhere.
  const attemptsByPersonAndNetwork = new MinuteRateLimit('sign-in attempts with this email address', 10)
  const attemptsByPerson = new MinuteRateLimit('sign-in attempts with this email address', 100)
  return defineRoute({
    method: 'POST',
    url: '/v2/session',
    access: 'public',
    name: 'signIn',
    tag: 'People',
    summary: 'Sign in',
    description:
      'Starts a session of the dashboard, which is kept in a cookie. The previous session of the same browser ends.',
    schemas: {
      body: Type.Object(
        { email: Email, password: CurrentPassword },
        {
          additionalProperties: false,
          examples: [{ email: 'owner@example.com', password: 'correct horse battery staple' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 60,
    responseHeaders: { 200: ['Set-Cookie'] },
    problems: ['unauthenticated', 'cross_origin'],
    async handle({ body: { email, password }, http }) {
      const person = email.toLowerCase()
      attemptsByPersonAndNetwork.consume(`${toClientNetwork(http.ipAddress)} ${person}`)
      attemptsByPerson.consume(person)
      return createResponse(
        200,
        ...(await signedInResponse(deps, await deps.sessions.signIn(email, password, http.cookieHeader))),
      )
    },
  })
}
