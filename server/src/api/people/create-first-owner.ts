import Type from 'typebox'
import { type Route, respond, route } from '../route.ts'
import { Email, exampleToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedIn } from './session-response.ts'

export function createFirstOwnerRoute(deps: SessionDeps): Route {
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
      responses: { 201: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'cross_origin'],
    async handle({ body: { token, ...wanted }, http }) {
      await deps.people.createFirstOwner(token, wanted)
      const cookies = await deps.sessions.signIn(wanted.email, wanted.password, http.cookie)
      return respond(201, ...(await signedIn(deps, cookies)))
    },
  })
}
