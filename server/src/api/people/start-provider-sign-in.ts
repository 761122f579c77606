import Type from 'typebox'
import { type Route, respond, route } from '../route.ts'
import type { SessionDeps } from './session-response.ts'

/** A path of ours, and nothing that a browser would take for another site. */
const ReturnTo = Type.String({ pattern: '^/(?![/\\\\])[^\\u0000-\\u0020\\u007f\\\\]*$', maxLength: 1000 })

export function startProviderSignInRoute({ sessions }: SessionDeps): Route {
  return route({
    method: 'POST',
    url: '/v2/session/provider',
    access: 'public',
    name: 'startProviderSignIn',
    tag: 'People',
    summary: 'Sign in through the OpenID provider',
    description: 'The browser is to go to `url`; it comes back signed in, to `returnTo`.',
    schemas: {
      body: Type.Object(
        {
          purpose: Type.Enum(['sign_in', 'link'] as const, {
            description: '`link`: as another way in for whoever is signed in.',
          }),
          returnTo: ReturnTo,
        },
        { additionalProperties: false, examples: [{ purpose: 'sign_in', returnTo: '/' }] },
      ),
      responses: { 200: Type.Object({ url: Type.String() }) },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'unauthenticated', 'cross_origin'],
    async handle({ body: { purpose, returnTo }, http }) {
      const { url, setCookie } = await sessions.startProviderSignIn(purpose, returnTo, http.cookie)
      return respond(200, { url }, { 'set-cookie': setCookie })
    },
  })
}
