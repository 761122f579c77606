import type { Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { MemberRole } from './member-role.ts'

/** Colophon's own tables, and the columns of better-auth's tables that Colophon itself reads and writes. */
export interface PeopleTables {
  project_member: {
    project_id: Id<'prj'>
    id: Id<'mbr'>
    email: string
    role: MemberRole
    /** The person who accepted an invitation to this project. Null: no one has accepted one yet. */
    person_id: Generated<Id<'per'> | null>
    created_at: Generated<Date>
  }
  person: {
    id: Id<'per'>
    name: string
    email: string
    is_operator: Generated<boolean>
    /** While set, the person cannot sign in. */
    disabled_at: Generated<Date | null>
    created_at: Generated<Date>
  }
  person_session: { id: Id<'ses'>; person_id: Id<'per'>; expires_at: Date; created_at: Generated<Date> }
  person_account: {
    id: string
    person_id: Id<'per'>
    provider_id: string
    account_id: string
    password: string | null
  }
  one_time_link: { token_hash: Uint8Array; person_id: Id<'per'> | null; expires_at: Date }
  person_verification: { id: string; expires_at: Date }
  invitation: {
    project_id: Id<'prj'>
    id: Id<'inv'>
    token_hash: Uint8Array
    email: string
    role: MemberRole
    /** The actor as in the audit log (`nameOfActor`). */
    invited_by: string
    created_at: Generated<Date>
    expires_at: Date
  }
  invitation_email: { project_id: Id<'prj'>; email: string; at: Generated<Date> }
}
