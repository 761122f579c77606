import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { Role, refuseRoleBeyond } from '../projects/member.ts'
import { type Route, respond, route } from '../route.ts'
import { ProjectParams } from '../schemas.ts'
import { InvitationSchema, toResponse } from './invitation.ts'
import { Email } from './person-fields.ts'

/** Says whether it went out. */
export type MailInvitation = (
  to: string,
  mail: { projectName: string; invitedBy: string; url: string },
) => Promise<boolean>

export interface CreateInvitationDeps {
  invitations: InvitationStore
  projects: ProjectStore
  publicUrl: string
  mailInvitation: MailInvitation
}

export function createInvitationRoute(deps: CreateInvitationDeps): Route {
  const { invitations, projects, publicUrl, mailInvitation } = deps
  return route({
    method: 'POST',
    url: '/v2/projects/:projectId/invitations',
    access: 'project:write',
    name: 'createInvitation',
    tag: 'People',
    summary: 'Invite somebody to a project',
    description:
      'The link is in this answer and, where mail is set up, in a mail. It works for seven days, once, for that address; ' +
      'a second invitation for the same address takes the place of the first. One mail goes to an address in ten minutes, ' +
      'and fifty in an hour for a project.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { email: Email, role: Role },
        { additionalProperties: false, examples: [{ email: 'writer@example.com', role: 'editor' }] },
      ),
      responses: {
        201: Type.Object({
          invitation: InvitationSchema,
          url: Type.String({ description: 'To be given to that person. Shown once.' }),
          mailed: Type.Boolean(),
        }),
      },
    },
    wantsFreshSession: true,
    async handle({ projectId, caller, body, actor }) {
      const invitedBy = caller.kind === 'person' ? caller.session.person.email : caller.key.name
      refuseRoleBeyond(caller, body.role)
      const { invitation, token, mayMail } = await invitations.create(projectId, body, actor)
      const url = `${publicUrl}/invitation#${token}`
      const { name: projectName } = await projects.get(projectId)
      const mailed = mayMail && (await mailInvitation(invitation.email, { projectName, invitedBy, url }))
      return respond(201, { invitation: toResponse(invitation), url, mailed })
    },
  })
}
