import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Role } from '../projects/member.ts'
import { createResponse, defineRoute, type Route } from '../route.ts'
import { exampleLinkToken, LinkToken } from './person-fields.ts'

export function lookUpInvitationRoute({ invitations }: { invitations: InvitationStore }): Route {
  return defineRoute({
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
          },
          {
            examples: [{ projectName: 'Product docs', email: 'writer@example.com', role: 'editor', hasAccount: false }],
          },
        ),
      },
    },
    maxPerMinutePerNetwork: 30,
    problems: ['not_found', 'cross_origin'],
    async handle({ body }) {
      const { projectName, email, role, hasAccount } = await invitations.lookUp(body.token)
      return createResponse(200, { projectName, email, role, hasAccount })
    },
  })
}
