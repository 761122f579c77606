import { createResponse, defineRoute, type Route } from '../route.ts'
import { describeSession, type SessionDeps, SessionSchema } from './session-response.ts'

export function signOutRoute(deps: SessionDeps): Route {
  return defineRoute({
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
    async handle({ http }) {
      const { setCookie } = await deps.sessions.signOut(http.cookieHeader)
      return createResponse(200, await describeSession(deps, ''), { 'set-cookie': setCookie })
    },
  })
}
