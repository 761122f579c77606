import type { Generated, JSONColumnType } from 'kysely'
import type { Id } from '../platform/ids.ts'

export interface AuditTables {
  audit_entry: {
    project_id: Id<'prj'>
    id: Id<'aud'>
    at: Generated<Date>
    actor: string
    action: string
    subject: string
    detail: JSONColumnType<Record<string, unknown>>
    request_id: string | null
  }
}
