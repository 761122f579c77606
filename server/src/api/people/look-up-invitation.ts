import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Role } from '../projects/member.ts'
import { type Route, respond, route } from '../route.ts'
import { exampleToken, LinkToken } from './person-fields.ts'

export function lookUpInvitationRoute({ invitations }: { invitations: InvitationStore }): Route {
  return route({
    method: 'POST', // the token is a secret, and addresses are logged
    url: '/v2/invitations/lookup',
    access: 'public',
    name: 'lookUpInvitation',
    tag: 'People',
    summary: 'What an invitation is for',
    schemas: {
      body: Type.Object({ token: LinkToken }, { additionalProperties: false, examples: [{ token: exampleToken }] }),
      responses: {
        200: Type.Object({
          projectName: Type.String(),
          email: Type.String(),
          role: Role,
          isKnown: Type.Boolean({ description: 'Somebody with this address can sign in already.' }),
        }),
      },
    },
    maxPerMinutePerNetwork: 30,
    refuses: ['not_found', 'cross_origin'],
    async handle({ body }) {
      const { projectName, email, role, isKnown } = await invitations.look(body.token)
      return respond(200, { projectName, email, role, isKnown })
    },
  })
}
