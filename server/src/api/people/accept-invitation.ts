import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Route, respond, route } from '../route.ts'
import { exampleToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedIn } from './session-response.ts'

export function acceptInvitationRoute(deps: SessionDeps & { invitations: InvitationStore }): Route {
  return route({
    method: 'POST',
    url: '/v2/invitations/accept',
    access: 'public',
    name: 'acceptInvitation',
    tag: 'People',
    summary: 'Accept an invitation',
    description: 'Whoever is new gives a name and a password and is signed in; whoever is not, signs in first.',
    schemas: {
      body: Type.Object(
        { token: LinkToken, name: Type.Optional(PersonName), password: Type.Optional(NewPassword) },
        {
          additionalProperties: false,
          examples: [{ token: exampleToken, name: 'A Writer', password: 'correct horse battery staple' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'unauthenticated', 'cross_origin'],
    async handle({ body: { token, name, password }, http }) {
      if (name !== undefined && password !== undefined) {
        const { email } = await deps.invitations.acceptAsNew(token, { name, password }, http.requestId)
        const cookies = await deps.sessions.signIn(email, password, http.cookie)
        return respond(200, ...(await signedIn(deps, cookies)))
      }
      const session = await deps.sessions.find(http.cookie)
      if (!session)
        throw new Problem('unauthenticated', 'Sign in first; or, if you are new here, give a name and a password.')
      await deps.invitations.acceptAs(session.person, token, http.requestId)
      return respond(200, await describeSession(deps, http.cookie))
    },
  })
}
