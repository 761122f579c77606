import type { Generated, JSONColumnType } from 'kysely'
import type { Id } from '../platform/ids.ts'

/** `instance`: of the instance itself, not of a project. */
export type AuditedProject = Id<'prj'> | 'instance'

export interface AuditTables {
  audit_entry: {
    project_id: AuditedProject
    id: Id<'aud'>
    at: Generated<Date>
    actor: string
    action: string
    subject: string
    detail: JSONColumnType<Record<string, unknown>>
    request_id: string | null
    ip_address: string | null
  }
  audit_export: {
    id: Id<'aud'>
    project_id: AuditedProject
    leased_until: Generated<Date>
  }
  audit_export_target: {
    is_only: Generated<boolean>
    url: string
  }
}
