import Type from 'typebox'
import { MinuteLimit } from '../minute-limit.ts'
import { placeOf } from '../place.ts'
import { type Route, respond, route } from '../route.ts'
import { AnyPassword, Email } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedIn } from './session-response.ts'

export function signInRoute(deps: SessionDeps): Route {
  // By place too, or a guesser would try one password on all; by person too, or many machines would guess for one. Few by
  // both and many by person alone: else whoever knows an address could keep its owner out from anywhere.
  const triesOfPersonFromPlace = new MinuteLimit('tries to sign in with this address', 10)
  const triesOfPerson = new MinuteLimit('tries to sign in with this address', 100)
  return route({
    method: 'POST',
    url: '/v2/session',
    access: 'public',
    name: 'signIn',
    tag: 'People',
    summary: 'Sign in',
    description: 'For the dashboard: the session is a cookie. A session that was there before ends.',
    schemas: {
      body: Type.Object(
        { email: Email, password: AnyPassword },
        {
          additionalProperties: false,
          examples: [{ email: 'owner@example.com', password: 'correct horse battery staple' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 60,
    refuses: ['unauthenticated', 'cross_origin'],
    async handle({ body: { email, password }, http }) {
      const person = email.toLowerCase()
      triesOfPersonFromPlace.take(`${placeOf(http.address)} ${person}`)
      triesOfPerson.take(person)
      return respond(200, ...(await signedIn(deps, await deps.sessions.signIn(email, password, http.cookie))))
    },
  })
}
