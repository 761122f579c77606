import type { ColumnType, Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'

export interface ApiKeyTable {
  project_id: Id<'prj'>
  id: Id<'key'>
  name: string
  secret_hash: Buffer
  prefix: string
  scopes: string[]
  allowed_networks: string[]
  created_by_key_id: Id<'key'> | null
  /** As in the audit log. Null: not recorded. */
  created_by: string | null
  taken_over_by: Generated<string | null>
  created_at: Generated<Date>
  expires_at: Date | null
  last_used_at: ColumnType<Date | null, never, Date>
  revoked_at: ColumnType<Date | null, never, Date>
}

export interface KeyTables {
  api_key: ApiKeyTable
}
