import type { ColumnType, Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'

/** A repository that the person's own token has write access to, according to GitHub. */
export interface WritableRepository {
  id: number
  installationId: number
  owner: string
  name: string
  defaultBranch: string
  isPrivate: boolean
}

export interface GithubTables {
  github_app: {
    base_url: string
    /** A `bigint`, which PostgreSQL returns as text. */
    app_id: ColumnType<string, number, number>
    slug: string
    name: string
    url: string
    client_id: string
    sealed_client_secret: Uint8Array
    sealed_private_key: Uint8Array
    webhook_secret: string | null
    created_at: Generated<Date>
  }
  github_authorization: {
    id: Id<'gha'>
    person_id: Id<'per'>
    project_id: Id<'prj'> | null
    base_url: string
    state_hash: Uint8Array | null
    sealed_code: Uint8Array | null
    repositories: ColumnType<WritableRepository[] | null, string | null, string | null>
    expires_at: Date
  }
}
