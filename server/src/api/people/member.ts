import Type, { type Static } from 'typebox'
import { type MemberRole, memberRoles } from '../../people/member-role.ts'
import type { Member } from '../../people/member-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import { type Caller, scopesByRole } from '../caller.ts'
import { DateTime, IdParam, ProjectParams } from '../schemas.ts'

export const Role = Type.Enum(memberRoles, {
  description:
    'Role in the project. `owner`: full access. `editor`: reads everything, and manages jobs. `viewer`: reads everything.',
})

export const MemberSchema = Type.Object(
  {
    id: Type.String({ description: 'ID of the member.' }),
    email: Type.String({ description: 'Email address of the member.' }),
    role: Role,
    createdAt: DateTime('Time at which the member was added.'),
    hasJoined: Type.Boolean({
      description: 'Whether the person has accepted an invitation to this project. Until then they have no access.',
    }),
    isDisabled: Type.Boolean({
      description: 'Whether an operator disabled the account of the person. They have no access then.',
    }),
  },
  {
    $id: 'Member',
    description: 'A person with a role in a project.',
    examples: [
      {
        id: 'mbr_01m7ej2c9xe3qv7k5w8t1n4zrb',
        email: 'writer@example.com',
        role: 'editor',
        createdAt: '2026-01-31T12:00:00.000Z',
        hasJoined: true,
        isDisabled: false,
      },
    ],
  },
)

export const MemberParams = Type.Object({
  ...ProjectParams.properties,
  memberId: IdParam('ID of the member.', 'mbr_01m7ej2c9xe3qv7k5w8t1n4zrb'),
})

export const toMemberResponse = ({
  id,
  email,
  role,
  createdAt,
  hasJoined,
  isDisabled,
}: Member): Static<typeof MemberSchema> => ({
  id,
  email,
  role,
  createdAt: createdAt.toISOString(),
  hasJoined,
  isDisabled,
})

/** An API key cannot grant more than its own scopes. Otherwise a key with few scopes could make its holder an owner. */
export function assertCanGrantRole(caller: Caller, role: MemberRole): void {
  if (caller.kind !== 'key') return
  const missing = scopesByRole[role].filter((scope) => !caller.key.scopes.includes(scope))
  if (missing.length > 0)
    throw new Problem(
      'insufficient_scope',
      `Your API key cannot grant the role ${role}, because it lacks ${missing.join(', ')}.`,
    )
}
