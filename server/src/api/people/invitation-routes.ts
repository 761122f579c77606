/** For the members of a project who invite people. `accept-invitation.ts` is for the invited person. */
import Type from 'typebox'
import type { InvitationStore } from '../../people/invitation-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { createResponse } from '../../platform/http/route.ts'
import type { ProjectStore } from '../../projects/project-store.ts'
import { defineRoute, type Route } from '../route.ts'
import { nullable, ProjectParams } from '../schemas.ts'
import { InvitationParams, InvitationSchema, toInvitationResponse } from './invitation.ts'
import { assertCanGrantRole, Role } from './member.ts'
import { Email, exampleLinkToken } from './person-fields.ts'

/** Returns whether the email was sent. */
export type SendInvitationEmail = (
  to: string,
  invitation: { projectName: string; invitedBy: string; url: string },
) => Promise<boolean>

export interface InvitationRouteDeps {
  invitations: InvitationStore
  projects: ProjectStore
  publicUrl: string
  /** Whether links are sent by email, and only by email. */
  canSendEmail: boolean
  sendInvitationEmail: SendInvitationEmail
}

export const invitationRoutes = ({
  invitations,
  projects,
  publicUrl,
  canSendEmail,
  sendInvitationEmail,
}: InvitationRouteDeps): Route[] => [
  defineRoute({
    method: 'GET',
    url: '/v2/projects/:projectId/invitations',
    access: 'project:read',
    name: 'listInvitations',
    tag: 'People',
    summary: 'List invitations',
    description: 'Returns the open invitations of a project, newest first. Expired invitations are left out.',
    schemas: {
      params: ProjectParams,
      responses: {
        200: Type.Object({
          invitations: Type.Array(InvitationSchema, {
            description: 'Open invitations of the project, newest first.',
          }),
        }),
      },
    },
    handle: async ({ projectId }) =>
      createResponse(200, { invitations: (await invitations.list(projectId)).map(toInvitationResponse) }),
  }),
  defineRoute({
    method: 'POST',
    url: '/v2/projects/:projectId/invitations',
    access: 'project:write',
    name: 'createInvitation',
    tag: 'People',
    summary: 'Invite a person',
    description:
      'Creates a link with which the person joins the project. The link works once and expires after 7 days. If the instance can ' +
      'send email, the link is emailed to the person and to nobody else, which proves that the address is theirs: at most one ' +
      'email to an address within 10 minutes, and at most 50 for a project within an hour. Otherwise the response contains the ' +
      'link, and anyone who has it can accept the invitation. If an account with the address exists, only that account can accept ' +
      'it. A new invitation for the same address replaces the previous one.',
    schemas: {
      params: ProjectParams,
      body: Type.Object(
        { email: Email, role: Role },
        { additionalProperties: false, examples: [{ email: 'writer@example.com', role: 'editor' }] },
      ),
      responses: {
        201: Type.Object({
          invitation: InvitationSchema,
          url: nullable(
            Type.String({
              description:
                'Link to give to the invited person. Only this response contains it. Null if it was sent by email.',
              examples: [`https://colophon.example.com/invitation#${exampleLinkToken}`],
            }),
          ),
          emailed: Type.Boolean({ description: 'Whether the link was sent to the invited person by email.' }),
        }),
      },
    },
    requiresRecentSignIn: true,
    async handle({ projectId, caller, body, actor }) {
      const invitedBy = caller.kind === 'person' ? caller.session.person.email : caller.key.name
      assertCanGrantRole(caller, body.role)
      const { invitation, token } = await invitations.create(projectId, body, actor, { byEmail: canSendEmail })
      const url = `${publicUrl}/invitation#${token}`
      const response = toInvitationResponse(invitation)
      if (!canSendEmail) return createResponse(201, { invitation: response, url, emailed: false })
      const { name: projectName } = await projects.get(projectId)
      if (!(await sendInvitationEmail(invitation.email, { projectName, invitedBy, url }))) {
        await invitations.withdraw(projectId, invitation, actor)
        throw new Problem(
          'unavailable',
          'The invitation could not be emailed, so it was withdrawn. Try again; if it keeps failing, an operator finds the reason in the log.',
          { headers: { 'retry-after': '30' } },
        )
      }
      return createResponse(201, { invitation: response, url: null, emailed: true })
    },
  }),
  defineRoute({
    method: 'DELETE',
    url: '/v2/projects/:projectId/invitations/:invitationId',
    access: 'project:write',
    name: 'revokeInvitation',
    tag: 'People',
    summary: 'Revoke an invitation',
    description: 'The invitation link stops working immediately. Returns the invitation that was revoked.',
    schemas: { params: InvitationParams, responses: { 200: InvitationSchema } },
    handle: async ({ projectId, params, actor }) =>
      createResponse(200, toInvitationResponse(await invitations.revoke(projectId, params.invitationId, actor))),
  }),
]
