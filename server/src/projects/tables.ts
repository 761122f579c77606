import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { Site, SiteGeneratorId } from '../site-generators/site-generator.ts'
import type { ActiveContentRule } from './publishing-rules.ts'
import type { PublishingSettings } from './publishing-settings.ts'

/** What people need to know of a site. Everything else is read from the repository when it is needed. */
export type RecognizedSite = Pick<Site, 'generator' | 'configFile' | 'pagesFolder'>

/** The driver returns PostgreSQL's `bigint` as text. */
type NumberOrNull = ColumnType<string | null, number | null, number | null>

export interface ProjectTables {
  project: {
    id: Id<'prj'>
    name: string
    created_at: Generated<Date>
    instructions: Generated<string | null>
    paused_at: Generated<Date | null>
    resumed_at: Generated<Date | null>
    default_model: Generated<string | null>
    job_retention_days: Generated<number | null>
    requires_second_factor: Generated<boolean>
    /** Set: nothing of the project can be used, and its data is being deleted. */
    deleted_at: Generated<Date | null>
  }
  repository: {
    project_id: Id<'prj'>
    host: 'gitea' | 'github'
    base_url: string
    owner: string
    name: string
    base_branch: string
    docs_folder: string
    token_credential_id: Id<'crd'> | null
    installation_id: NumberOrNull
    host_repository_id: NumberOrNull
    issue: RepositoryIssue | null
    webhook_secret: string
    publishing: JSONColumnType<PublishingSettings>
    site_generator: Generated<SiteGeneratorId | null>
    further_docs_folders: Generated<string[]>
    allowed_paths: Generated<string[]>
    active_content: Generated<ActiveContentRule>
    require_approval: Generated<boolean>
    fix_failed_checks: Generated<boolean>
    site: ColumnType<RecognizedSite | null, never, string | null>
    site_recognized_at: Generated<Date | null>
    poll_at: Generated<Date>
    created_at: Generated<Date>
  }
  webhook_delivery: {
    sender: string
    digest: Uint8Array
    received_at: Generated<Date>
  }
  credential: {
    project_id: Id<'prj'>
    id: Id<'crd'>
    kind: CredentialKind
    sealed: Uint8Array
    base_url: string | null
    created_at: Generated<Date>
  }
}

/** What a sealed secret is used for. A closed list: each new use gets its own kind. */
export type CredentialKind = 'code-host-token'

/** Why jobs cannot work with a connected repository. */
export type RepositoryIssue = 'archived' | 'not_found' | 'access_revoked'
