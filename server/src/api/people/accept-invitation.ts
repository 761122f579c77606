import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { exampleLinkToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedInResponse } from './session-response.ts'

export function acceptInvitationRoute(deps: SessionDeps & { invitations: InvitationStore }): Route {
  return defineRoute({
    method: 'POST',
    url: '/v2/invitations/accept',
    access: 'public',
    name: 'acceptInvitation',
    tag: 'People',
    summary: 'Accept an invitation',
    description:
      'Makes the person a member of the project. People without an account send a name and a password: the account is ' +
      'created and signed in. People with an account sign in first, with the email address that was invited, and send ' +
      'only the token.',
    schemas: {
      body: Type.Object(
        { token: LinkToken, name: Type.Optional(PersonName), password: Type.Optional(NewPassword) },
        {
          additionalProperties: false,
          examples: [{ token: exampleLinkToken, name: 'A Writer', password: 'correct horse battery staple' }],
        },
      ),
      responses: { 200: SessionSchema },
    },
    maxPerMinutePerNetwork: 30,
    responseHeaders: { 200: ['Set-Cookie'] },
    problems: ['not_found', 'unauthenticated', 'cross_origin'],
    async handle({ body: { token, name, password }, http }) {
      if (name !== undefined && password !== undefined) {
        const { email } = await deps.invitations.acceptAsNew(token, { name, password }, http.requestId)
        const cookies = await deps.sessions.signIn(email, password, http.cookieHeader)
        return createResponse(200, ...(await signedInResponse(deps, cookies)))
      }
      const session = await deps.sessions.find(http.cookieHeader)
      if (!session)
        throw new Problem('unauthenticated', 'Sign in first. To create an account, send a name and a password.')
      await deps.invitations.acceptAs(session.person, token, http.requestId)
      return createResponse(200, await describeSession(deps, http.cookieHeader))
    },
  })
}
