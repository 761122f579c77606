import Type, { type Static } from 'typebox'
import { memberRoles } from '../../projects/member-role.ts'
import type { Member } from '../../projects/member-store.ts'
import { DateTime, idParam, ProjectParams } from '../schemas.ts'

export const Role = Type.Enum(memberRoles, { description: 'An owner may do all, an editor works, a viewer looks.' })

export const MemberSchema = Type.Object(
  { id: Type.String(), email: Type.String(), role: Role, createdAt: DateTime('When the member was added.') },
  { $id: 'Member' },
)

export const MemberParams = Type.Object({
  ...ProjectParams.properties,
  memberId: idParam("The member's id, like `mbr_…`."),
})

export const asAnswer = ({ id, email, role, createdAt }: Member): Static<typeof MemberSchema> => ({
  id,
  email,
  role,
  createdAt: createdAt.toISOString(),
})
