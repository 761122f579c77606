/** For the person who has the link of an invitation. `invitation-routes.ts` is for the members who invite. */
import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import { defineRoute, type Route } from '../route.ts'
import { Role } from './member.ts'
import { exampleLinkToken, LinkToken, NewPassword, PersonName } from './person-fields.ts'
import { describeSession, type SessionDeps, SessionSchema, signedInResponse, toBrowser } from './session-response.ts'
import { toAuditedRequest } from './sign-in-audit.ts'

export interface AcceptInvitationDeps extends SessionDeps {
  invitations: InvitationStore
}

export const acceptInvitationRoutes = (deps: AcceptInvitationDeps): Route[] => [
  defineRoute({
    method: 'POST', // the token is a secret, and URLs are logged
    url: '/v2/invitations/lookup',
    access: 'public',
    name: 'lookUpInvitation',
    tag: 'People',
    summary: 'Look up an invitation',
    description: 'Returns what the link of an invitation is for, before the person accepts it.',
    schemas: {
      body: Type.Object({ token: LinkToken }, { additionalProperties: false, examples: [{ token: exampleLinkToken }] }),
      responses: {
        200: Type.Object(
          {
            projectName: Type.String({ description: 'Name of the project that the person is invited to.' }),
            email: Type.String({ description: 'Email address of the invited person.' }),
            role: Role,
            hasAccount: Type.Boolean({ description: 'Whether an account with this email address exists.' }),
            canClaim: Type.Boolean({
              description:
                'Whether the account can be taken over with a new name and password: the link was only sent by email, and nobody ' +
                'has shown before that the address is theirs.',
            }),
          },
          {
            examples: [
              {
                projectName: 'Product docs',
                email: 'writer@example.com',
                role: 'editor',
                hasAccount: false,
                canClaim: false,
              },
            ],
          },
        ),
      },
    },
    maxPerMinutePerNetwork: 30,
    problems: ['not_found', 'cross_origin'],
    async handle({ body }) {
      const { projectName, email, role, hasAccount, canClaim } = await deps.invitations.lookUp(body.token)
      return createResponse(200, { projectName, email, role, hasAccount, canClaim })
    },
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/invitations/accept',
    access: 'public',
    name: 'acceptInvitation',
    tag: 'People',
    summary: 'Accept an invitation',
    description:
      'Makes the person a member of the project. People without an account send a name and a password: the account is ' +
      'created and signed in. People with an account sign in first, with the email address that was invited, and send ' +
      'only the token. If `canClaim` is true, a name and a password take over the account: its sessions end, and its other ways ' +
      'to sign in are removed.',
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
        deps.sessions.assertPasswordsAllowed()
        const { email } = await deps.invitations.acceptAsNew(token, { name, password }, toAuditedRequest(http))
        const cookies = await deps.sessions.signIn(email, password, toBrowser(http))
        return createResponse(200, ...(await signedInResponse(deps, cookies, { method: 'invitation', http })))
      }
      const session = await deps.sessions.find(http.cookieHeader)
      if (!session)
        throw new Problem('unauthenticated', 'Sign in first. To create an account, send a name and a password.')
      await deps.invitations.acceptAs(session.person, token, toAuditedRequest(http))
      return createResponse(200, await describeSession(deps, http.cookieHeader))
    },
  }),
]
