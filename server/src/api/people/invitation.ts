import Type, { type Static } from 'typebox'
import type { Invitation } from '../../people/invitation-store.ts'
import { Role } from '../projects/member.ts'
import { DateTime, idParam, ProjectParams } from '../schemas.ts'

export const InvitationSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    createdAt: DateTime('When it was made.'),
    expiresAt: DateTime('Until when its link works.'),
  },
  { $id: 'Invitation' },
)

export const InvitationParams = Type.Object({
  ...ProjectParams.properties,
  invitationId: idParam("The invitation's id, like `inv_…`."),
})

export const toResponse = ({ id, email, role, createdAt, expiresAt }: Invitation): Static<typeof InvitationSchema> => ({
  id,
  email,
  role,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
})
