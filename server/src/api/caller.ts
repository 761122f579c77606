import type { ApiKeyRecord } from '../keys/key-store.ts'
import { type Scope, scopes } from '../keys/scopes.ts'
import type { MemberRole } from '../people/member-role.ts'
import type { LiveSession } from '../people/session.ts'

/** Who calls a project's route. Limits per caller count by `id`. */
export type Caller =
  | { kind: 'key'; id: ApiKeyRecord['id']; key: ApiKeyRecord }
  | { kind: 'person'; id: LiveSession['person']['id']; session: LiveSession; role: MemberRole }

/** What the members of a project may do, as scopes. docs/roles.md documents the same table. */
export const scopesByRole: Readonly<Record<MemberRole, readonly Scope[]>> = {
  viewer: ['agent:read', 'analytics:read', 'project:read'],
  editor: ['agent:read', 'analytics:read', 'project:read', 'agent:write', 'analytics:write'],
  owner: scopes,
}
