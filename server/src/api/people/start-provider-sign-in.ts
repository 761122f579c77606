import Type from 'typebox'
import { createResponse, defineRoute, type Route } from '../route.ts'
import type { SessionDeps } from './session-response.ts'

/** A path of the dashboard. The pattern rejects everything that a browser would resolve to another site. */
const ReturnTo = Type.String({
  pattern: '^/(?![/\\\\])[^\\u0000-\\u0020\\u007f\\\\]*$',
  maxLength: 1000,
  description: 'Path of the dashboard to open after signing in, for example `/`.',
})

export function startProviderSignInRoute({ sessions }: SessionDeps): Route {
  return defineRoute({
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
      const { url, setCookie } = await sessions.startProviderSignIn(purpose, returnTo, http.cookieHeader)
      return createResponse(200, { url }, { 'set-cookie': setCookie })
    },
  })
}
