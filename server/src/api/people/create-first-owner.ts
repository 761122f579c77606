import Type from 'typebox'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { Email, exampleLinkToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

export function createFirstOwnerRoute(deps: SessionDeps): Route {
  return defineRoute({
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
      const cookies = await deps.sessions.signIn(person.email, person.password, http.cookieHeader)
      return createResponse(201, ...(await signedInResponse(deps, cookies)))
    },
  })
}
