/** Signing in to the dashboard and out of it. */
import Type from 'typebox'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { toClientNetwork } from '../client-network.ts'
import { MinuteRateLimit } from '../minute-rate-limit.ts'
import { defineRoute, type Route } from '../route.ts'
import { CurrentPassword, Email } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

/** A path of the dashboard. The pattern rejects everything that a browser would resolve to another site. */
const ReturnTo = Type.String({
  pattern: '^/(?![/\\\\])[^\\u0000-\\u0020\\u007f\\\\]*$',
  maxLength: 1000,
  description: 'Path of the dashboard to open after signing in, for example `/`.',
})

export function sessionRoutes(deps: SessionDeps): Route[] {
  // Attempts are limited by network, or an attacker could try one password on all accounts, and by person, or many machines
  // could guess the password of one account. The limit for a person on one network is low, the limit for a person alone is
  // high: otherwise anyone who knows an email address could lock its owner out from anywhere.
  const attemptsByPersonAndNetwork = new MinuteRateLimit('sign-in attempts with this email address', 10)
  const attemptsByPerson = new MinuteRateLimit('sign-in attempts with this email address', 100)
  return [
    defineRoute({
      method: 'GET',
      url: '/v2/session',
      access: 'public',
      quiet: true,
      name: 'getSession',
      tag: 'People',
      summary: 'Get the session',
      description: 'Returns who is signed in, if anyone, and how people can sign in to this instance.',
      schemas: { responses: { 200: SessionSchema } },
      handle: async ({ http }) =>
        createResponse(200, await describeSession(deps, http.cookieHeader), { 'cache-control': 'no-store' }),
    }),
    defineRoute({
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
        const cookies = await deps.sessions.signIn(email, password, http.cookieHeader).catch(async (error: unknown) => {
          if (error instanceof Problem) await deps.signInAudit.recordFailure({ email: person }, http)
          throw error
        })
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'password', http })))
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/session',
      access: 'session',
      name: 'signOut',
      tag: 'People',
      summary: 'Sign out',
      description: 'Ends the session of this browser. It is invalid on every replica when the response arrives.',
      schemas: { responses: { 200: SessionSchema } },
      responseHeaders: { 200: ['Set-Cookie'] },
      responseExamples: {
        200: {
          person: null,
          recentlyAuthenticatedUntil: null,
          needsFirstOwner: false,
          canSendEmail: true,
          providers: [{ id: 'oidc', name: 'Example SSO' }],
        },
      },
      async handle({ session, http }) {
        const { setCookie } = await deps.sessions.signOut(http.cookieHeader)
        await deps.signInAudit.recordEnd(session.person, 'session.ended', http)
        return createResponse(200, await describeSession(deps, ''), { 'set-cookie': setCookie })
      },
    }),
    defineRoute({
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
      async handle({ session, http }) {
        await deps.sessions.endOthers(http.cookieHeader)
        await deps.signInAudit.recordEnd(session.person, 'session.others_ended', http)
        return createResponse(200, await describeSession(deps, http.cookieHeader))
      },
    }),
    defineRoute({
      method: 'POST',
      url: '/v2/session/provider',
      access: 'public',
      name: 'startProviderSignIn',
      tag: 'People',
      summary: 'Sign in with a provider',
      description:
        'Starts to sign in with the OpenID Connect provider. Send the browser to `url`. It comes back signed in, to ' +
        '`returnTo`.',
      schemas: {
        body: Type.Object(
          {
            purpose: Type.Enum(['sign_in', 'link'] as const, {
              description:
                '`sign_in`: sign in with the account at the provider. `link`: let the signed-in person also sign in with ' +
                'their account at the provider from now on.',
            }),
            returnTo: ReturnTo,
          },
          { additionalProperties: false, examples: [{ purpose: 'sign_in', returnTo: '/' }] },
        ),
        responses: {
          200: Type.Object({
            url: Type.String({
              description: 'URL of the provider to send the browser to.',
              examples: ['https://login.example.com/oauth2/authorize?client_id=colophon&response_type=code'],
            }),
          }),
        },
      },
      maxPerMinutePerNetwork: 30,
      responseHeaders: { 200: ['Set-Cookie'] },
      problems: ['not_found', 'unauthenticated', 'cross_origin'],
      async handle({ body: { purpose, returnTo }, http }) {
        const { url, setCookie } = await deps.sessions.startProviderSignIn(purpose, returnTo, http.cookieHeader)
        return createResponse(200, { url }, { 'set-cookie': setCookie })
      },
    }),
  ]
}
