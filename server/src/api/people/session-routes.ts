/** Signing in to the dashboard and out of it. */
import Type from 'typebox'
import type { SessionManager } from '../../people/session-manager.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { requireRecentSignIn } from '../authenticate-session.ts'
import { toClientNetwork } from '../client-network.ts'
import { defineRoute, type Route } from '../route.ts'
import { listSessions, SessionList, SessionParams } from './listed-session.ts'
import { CurrentPassword, Email } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedInResponse, toBrowser } from './session-response.ts'

/** A path of the dashboard. The pattern rejects everything that a browser would resolve to another site. */
const ReturnTo = Type.String({
  pattern: '^/(?![/\\\\])[^\\u0000-\\u0020\\u007f\\\\]*$',
  maxLength: 1000,
  description: 'Path of the dashboard to open after signing in, for example `/`.',
})

export function sessionRoutes(deps: SessionDeps): Route[] {
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
        'Starts a session of the dashboard, which is kept in a cookie. The previous session of the same browser ends. ' +
        'After 5 wrong passwords, each further attempt has to wait longer: a request before that gets `rate_limited`. ' +
        'If `needsSecondFactor` is true, no session has started yet.',
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
        deps.sessions.assertPasswordsAllowed()
        const browser = toBrowser(http)
        const from = { network: toClientNetwork(http.ipAddress), coarseNetwork: browser.coarseNetwork }
        const signIn = () => deps.sessions.signIn(email, password, browser)
        const cookies = await deps.signInGuard.attempt(email, from, signIn).catch(async (error: unknown) => {
          if (error instanceof Problem) await deps.signInAudit.recordFailure({ email: email.toLowerCase() }, http)
          throw error
        })
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'password', http })))
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/session',
      access: 'session',
      allowsMissingSecondFactor: true,
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
          needsSecondFactor: false,
          secondFactors: [],
          mustSetUpSecondFactor: false,
          failedSignIns: null,
          needsFirstOwner: false,
          canSendEmail: true,
          allowsPasswords: true,
          providers: [{ id: 'oidc', name: 'Example SSO' }],
        },
      },
      async handle({ session, http }) {
        const { setCookie } = await deps.sessions.signOut(http.cookieHeader)
        await deps.signInAudit.record(session.person, 'session.ended', http)
        return createResponse(200, await describeSession(deps, ''), { 'set-cookie': setCookie })
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/session/failed-sign-ins',
      access: 'session',
      allowsMissingSecondFactor: true,
      name: 'dismissFailedSignIns',
      tag: 'People',
      summary: 'Dismiss failed sign-ins',
      description: 'Removes the notice about failed sign-ins (`failedSignIns`) from the session.',
      schemas: { responses: { 200: SessionSchema } },
      async handle({ session, http }) {
        await deps.signInGuard.dismissFailures(session.person.id)
        return createResponse(200, await describeSession(deps, http.cookieHeader))
      },
    }),
    defineRoute({
      method: 'GET',
      url: '/v2/sessions',
      access: 'session',
      allowsMissingSecondFactor: true,
      name: 'listSessions',
      tag: 'People',
      summary: 'List your sessions',
      description:
        'Returns the sessions of the signed-in person that have not ended, the last used one first, at most 100.',
      schemas: { responses: { 200: SessionList } },
      handle: async ({ session }) => createResponse(200, await listSessions(deps.sessions, session)),
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/sessions/:sessionId',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
      name: 'endSession',
      tag: 'People',
      summary: 'End a session',
      description:
        'Ends one session of the signed-in person, on all replicas. Nothing changes if it has already ended. Returns the ' +
        'sessions that are left.',
      schemas: { params: SessionParams, responses: { 200: SessionList } },
      async handle({ session, params, http }) {
        await deps.sessions.end(session.person.id, params.sessionId)
        await deps.signInAudit.record(session.person, 'session.other_ended', http)
        return createResponse(200, await listSessions(deps.sessions, session))
      },
    }),
    defineRoute({
      method: 'DELETE',
      url: '/v2/sessions',
      access: 'session',
      allowsMissingSecondFactor: true,
      requiresRecentSignIn: true,
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
        await deps.signInAudit.record(session.person, 'session.others_ended', http)
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
            purpose: Type.Enum(['sign_in', 'link', 'reauthenticate'] as const, {
              description:
                '`sign_in`: sign in with the account at the provider. `link`: let the signed-in person also sign in with ' +
                'their account at the provider from now on; this requires a recent sign-in. `reauthenticate`: sign in again, for actions that require a ' +
                'recent sign-in; the provider asks for the credentials even if the person is signed in there.',
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
      problems: ['not_found', 'unauthenticated', 'reauthentication_required', 'cross_origin'],
      async handle({ body: { purpose, returnTo }, http }) {
        if (purpose === 'link') await requireRecentSignInOfBrowser(deps.sessions, http.cookieHeader)
        const { url, setCookie } = await deps.sessions.startProviderSignIn(purpose, returnTo, http.cookieHeader)
        return createResponse(200, { url }, { 'set-cookie': setCookie })
      },
    }),
  ]
}

/** A linked account is another way to sign in, so a person who finds a browser open must not be able to add theirs. */
async function requireRecentSignInOfBrowser(sessions: SessionManager, cookieHeader: string): Promise<void> {
  const session = await sessions.find(cookieHeader)
  if (!session) throw new Problem('unauthenticated', 'Sign in first.')
  requireRecentSignIn(session)
}
