import type { Generated } from 'kysely'
import type { AuditTables } from '../audit/tables.ts'
import type { Id } from '../platform/ids.ts'
import type { MemberRole } from './member-role.ts'

export interface ProjectTables extends AuditTables {
  project: {
    id: Id<'prj'>
    name: string
    created_at: Generated<Date>
  }
  project_member: {
    project_id: Id<'prj'>
    id: Id<'mbr'>
    email: string
    role: MemberRole
    created_at: Generated<Date>
  }
  credential: {
    project_id: Id<'prj'>
    id: Id<'crd'>
    kind: CredentialKind
    sealed: Uint8Array
    created_at: Generated<Date>
  }
}

/** What a sealed secret is for. A closed list: whoever adds a use of secrets adds its kind. */
export type CredentialKind = 'code-host-token'
