import type { Generated, JSONColumnType } from 'kysely'
import type { AuditTables } from '../audit/tables.ts'
import type { Id } from '../platform/ids.ts'
import type { MemberRole } from './member-role.ts'
import type { PublishingSettings } from './publishing-settings.ts'

export interface ProjectTables extends AuditTables {
  project: {
    id: Id<'prj'>
    name: string
    created_at: Generated<Date>
    instructions: Generated<string | null>
    paused_at: Generated<Date | null>
  }
  project_member: {
    project_id: Id<'prj'>
    id: Id<'mbr'>
    email: string
    role: MemberRole
    created_at: Generated<Date>
  }
  repository: {
    project_id: Id<'prj'>
    host: 'gitea'
    base_url: string
    owner: string
    name: string
    base_branch: string
    docs_folder: string
    token_credential_id: Id<'crd'>
    webhook_secret: string
    publishing: JSONColumnType<PublishingSettings>
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
