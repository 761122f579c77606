import type { Key } from '../keys/key-store.ts'
import { type Scope, scopes } from '../keys/scopes.ts'
import type { MemberRole } from '../people/member-role.ts'
import type { LiveSession } from '../people/session.ts'

/** Who asks for something of a project. What is limited by caller is counted by `id`. */
export type Caller =
  | { kind: 'key'; id: Key['id']; key: Key }
  | { kind: 'person'; id: LiveSession['person']['id']; session: LiveSession; role: MemberRole }

/** What members may do, in the words that keys use: docs/roles.md says the same for people. */
export const scopesOfRole: Readonly<Record<MemberRole, readonly Scope[]>> = {
  viewer: ['agent:read', 'analytics:read', 'project:read'],
  editor: ['agent:read', 'analytics:read', 'project:read', 'agent:write', 'analytics:write'],
  owner: scopes,
}
