import type { Kysely } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import type { Id } from '../platform/ids.ts'
import type { PublishingSettings } from './publishing-settings.ts'
import type { ProjectTables } from './tables.ts'

/** Where a project's jobs work and its pull requests appear. */
export interface Repository {
  host: 'gitea'
  baseUrl: string
  owner: string
  name: string
  baseBranch: string
  /** Without slashes at its ends; empty: the whole repository. */
  docsFolder: string
  tokenCredentialId: Id<'crd'>
  webhookSecret: string
  publishing: PublishingSettings
}

export class RepositoryStore {
  readonly #db: Kysely<ProjectTables>

  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<ProjectTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async find(projectId: Id<'prj'>): Promise<Repository | undefined> {
    return this.#db
      .selectFrom('repository')
      .select([
        ...(['host', 'owner', 'name', 'publishing'] as const),
        ...(['base_url as baseUrl', 'base_branch as baseBranch', 'docs_folder as docsFolder'] as const),
        ...(['token_credential_id as tokenCredentialId', 'webhook_secret as webhookSecret'] as const),
      ])
      .where('project_id', '=', projectId)
      .executeTakeFirst()
  }

  /** Connects the project, or connects it to another one: a project has one repository. */
  async connect(projectId: Id<'prj'>, repository: Repository, actor: Actor): Promise<void> {
    const row = {
      host: repository.host,
      base_url: repository.baseUrl,
      owner: repository.owner,
      name: repository.name,
      base_branch: repository.baseBranch,
      docs_folder: repository.docsFolder,
      token_credential_id: repository.tokenCredentialId,
      webhook_secret: repository.webhookSecret,
      publishing: JSON.stringify(repository.publishing),
    }
    await this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('repository')
        .values({ project_id: projectId, ...row })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
        .execute()
      const { baseUrl, owner, name, baseBranch } = repository
      await this.#recordAudit(tx, projectId, actor, {
        action: 'repository.connected',
        subject: projectId,
        detail: { baseUrl, owner, name, baseBranch },
      })
    })
  }
}
