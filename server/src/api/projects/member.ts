import Type, { type Static } from 'typebox'
import { type MemberRole, memberRoles } from '../../people/member-role.ts'
import type { Member } from '../../people/member-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Caller, scopesOfRole } from '../caller.ts'
import { DateTime, idParam, ProjectParams } from '../schemas.ts'

export const Role = Type.Enum(memberRoles, { description: 'An owner may do all, an editor works, a viewer looks.' })

export const MemberSchema = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Role,
    createdAt: DateTime('When the member was added.'),
    hasJoined: Type.Boolean({
      description: 'Has accepted an invitation of this project. Before that, the role lets nobody in.',
    }),
  },
  { $id: 'Member' },
)

export const MemberParams = Type.Object({
  ...ProjectParams.properties,
  memberId: idParam("The member's id, like `mbr_…`."),
})

export const toResponse = ({ id, email, role, createdAt, hasJoined }: Member): Static<typeof MemberSchema> => ({
  id,
  email,
  role,
  createdAt: createdAt.toISOString(),
  hasJoined,
})

/** A key may hand on what it has, and no more: or a narrow one would become a person who may do all. */
export function refuseRoleBeyond(caller: Caller, role: MemberRole): void {
  if (caller.kind !== 'key') return
  const missing = scopesOfRole[role].filter((scope) => !caller.key.scopes.includes(scope))
  if (missing.length > 0)
    throw new Problem(
      'insufficient_scope',
      `Your key cannot give the role of ${role}: it has not ${missing.join(', ')} itself.`,
    )
}
