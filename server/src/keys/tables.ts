import type { ColumnType, Generated, JSONColumnType } from 'kysely'
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

export interface FederatedIdentityTable {
  project_id: Id<'prj'>
  id: Id<'fid'>
  name: string
  provider: 'github' | 'gitlab' | 'other'
  issuer: string
  claims: JSONColumnType<Record<string, string>>
  pinned_claims: ColumnType<Record<string, string> | null, never, string>
  scopes: string[]
  /** As in the audit log. */
  created_by: string
  taken_over_by: Generated<string | null>
  created_at: Generated<Date>
  last_used_at: ColumnType<Date | null, never, Date>
}

export interface KeyTables {
  api_key: ApiKeyTable
  federated_identity: FederatedIdentityTable
  exchanged_id_token: { token_hash: Buffer; project_id: Id<'prj'>; expires_at: Date }
}
