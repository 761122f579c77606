import Type, { type Static } from 'typebox'
import type { Invitation } from '../../people/invitation-store.ts'
import { DateTime, IdParam, ProjectParams } from '../schemas.ts'
import { Role } from './member.ts'

export const InvitationSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the invitation.', examples: ['inv_01m7ej0q3ce5sbs8w5mpvk2w9t'] }),
    email: Type.String({ description: 'Email address of the invited person.', examples: ['writer@example.com'] }),
    role: Role,
    invitedBy: Type.String({
      description:
        'Who created or has taken over the invitation: the email address of a person, the ID of an API key, or `operator`.',
    }),
    createdAt: DateTime('Time at which the invitation was created.'),
    expiresAt: DateTime('Time at which the invitation link expires.'),
  },
  {
    $id: 'Invitation',
    description: 'An invitation to a project that has not been accepted yet.',
    examples: [
      {
        id: 'inv_01m7ej0q3ce5sbs8w5mpvk2w9t',
        email: 'writer@example.com',
        role: 'editor',
        invitedBy: 'owner@example.com',
        createdAt: '2026-01-31T12:00:00.000Z',
        expiresAt: '2026-02-07T12:00:00.000Z',
      },
    ],
  },
)

export const InvitationParams = Type.Object({
  ...ProjectParams.properties,
  invitationId: IdParam('ID of the invitation.', 'inv_01m7ej0q3ce5sbs8w5mpvk2w9t'),
})

export const toInvitationResponse = ({
  id,
  email,
  role,
  invitedBy,
  createdAt,
  expiresAt,
}: Invitation): Static<typeof InvitationSchema> => ({
  id,
  email,
  role,
  invitedBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})
