import Type from 'typebox'
import { answer, type Route, route } from '../route.ts'
import { Email, exampleToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { type SessionParts, SessionSchema, signedIn } from './session-answer.ts'

export function createFirstOwnerRoute(parts: SessionParts): Route {
  return route({
    method: 'POST',
    url: '/v2/setup/owner',
    access: 'public',
    name: 'createFirstOwner',
    tag: 'People',
    summary: 'Become the first owner',
    description: 'With the token that `api` prints at its start as long as nobody runs the installation. Works once.',
    schemas: {
      body: Type.Object(
        { token: LinkToken, name: PersonName, email: Email, password: NewPassword },
        {
          additionalProperties: false,
          examples: [
            {
              token: exampleToken,
              name: 'An Owner',
              email: 'owner@example.com',
              password: 'correct horse battery staple',
            },
          ],
        },
      ),
      answers: { 201: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'cross_origin'],
    async handle({ body: { token, ...wanted }, http }) {
      await parts.people.createFirstOwner(token, wanted)
      const cookies = await parts.sessions.signIn(wanted.email, wanted.password, http.cookie)
      return answer(201, ...(await signedIn(parts, cookies)))
    },
  })
}
