import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import type { PublishingSettings } from './publishing-settings.ts'
import type { ProjectTables, RepositoryIssue } from './tables.ts'

/** Where a project's jobs work and its pull requests appear. */
export type Repository = RepositoryPlace & RepositoryWay & RepositoryUse & { issue: RepositoryIssue | null }

/** As people see it. */
export interface RepositoryPlace {
  host: 'gitea' | 'github'
  baseUrl: string
  owner: string
  name: string
}

/**
 * How we are let in. `hostRepositoryId` is the host's own number, which stays when the name changes; null: nobody has looked
 * yet.
 */
export type RepositoryWay =
  | { access: { kind: 'token'; credentialId: Id<'crd'> }; hostRepositoryId: number | null }
  | { host: 'github'; access: { kind: 'installation'; installationId: number }; hostRepositoryId: number }

export interface RepositoryUse {
  baseBranch: string
  /** Without slashes at its ends; empty: the whole repository. */
  docsFolder: string
  /** Of a webhook of its own; that of an App has the App's. */
  webhookSecret: string
  publishing: PublishingSettings
}

/** What a look at the host found. */
export type SeenRepository =
  | { issue: null | 'archived'; id: number; owner: string; name: string }
  | { issue: 'not_found' | 'access_revoked' }

export class RepositoryStore {
  readonly #db: Kysely<ProjectTables>

  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<ProjectTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async find(projectId: Id<'prj'>): Promise<Repository | undefined> {
    const row = await this.#db
      .selectFrom('repository')
      .selectAll()
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return row && asRepository(row)
  }

  /** What needs no new test: the place and the way in stay. */
  async change(
    projectId: Id<'prj'>,
    changes: Partial<Pick<Repository, 'baseBranch' | 'docsFolder' | 'publishing'>>,
    actor: Actor,
  ): Promise<Repository> {
    return this.#db.transaction().execute(async (tx) => {
      const before = await lockRepository(tx, projectId)
      if (!before) throw new Problem('project_not_ready', 'The project has no repository yet: connect one first.')
      const publishing = { ...before.publishing, ...changes.publishing }
      const after = { ...before, ...changes, publishing }
      await tx
        .updateTable('repository')
        .set({
          base_branch: after.baseBranch,
          docs_folder: after.docsFolder,
          publishing: JSON.stringify(publishing),
        })
        .where('project_id', '=', projectId)
        .execute()
      await this.#recordAudit(tx, projectId, actor, {
        action: 'repository.changed',
        subject: projectId,
        detail: { ...changes },
      })
      return after
    })
  }

  /** Connects the project, or connects it to another one: a project has one repository. It is looked at soon after. */
  async connect(
    projectId: Id<'prj'>,
    repository: RepositoryPlace & RepositoryWay & RepositoryUse,
    actor: Actor,
  ): Promise<void> {
    const { access } = repository
    const row = {
      host: repository.host,
      base_url: repository.baseUrl,
      owner: repository.owner,
      name: repository.name,
      base_branch: repository.baseBranch,
      docs_folder: repository.docsFolder,
      token_credential_id: access.kind === 'token' ? access.credentialId : null,
      installation_id: access.kind === 'installation' ? access.installationId : null,
      host_repository_id: repository.hostRepositoryId,
      issue: null,
      poll_at: sql<Date>`now()`,
      webhook_secret: repository.webhookSecret,
      publishing: JSON.stringify(repository.publishing),
    }
    await this.#db.transaction().execute(async (tx) => {
      const before = await lockRepository(tx, projectId)
      await tx
        .insertInto('repository')
        .values({ project_id: projectId, ...row })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
        .execute()
      const unused = before?.access.kind === 'token' ? before.access.credentialId : null
      if (unused !== null && unused !== row.token_credential_id)
        await tx.deleteFrom('credential').where('project_id', '=', projectId).where('id', '=', unused).execute()
      const { baseUrl, owner, name, baseBranch } = repository
      await this.#recordAudit(tx, projectId, actor, {
        action: 'repository.connected',
        subject: projectId,
        detail: { baseUrl, owner, name, baseBranch, access: access.kind },
      })
    })
  }

  /** Each is taken by one replica only, and is due again later, whether or not that replica lives to look. */
  async takeDueLooks(againSeconds: number, limit: number, besides: readonly Id<'prj'>[] = []): Promise<Id<'prj'>[]> {
    const rows = await this.#db
      .updateTable('repository')
      .set({ poll_at: sql<Date>`now() + make_interval(secs => ${againSeconds})` })
      .where('project_id', 'in', (query) =>
        query
          .selectFrom('repository')
          .select('project_id')
          .where('poll_at', '<=', sql<Date>`now()`)
          .where(sql<boolean>`project_id <> ALL (${besides}::text[])`)
          .orderBy('poll_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning('project_id')
      .execute()
    return rows.map(({ project_id }) => project_id)
  }

  /** At once, or within so many seconds. */
  async hintLook(projectIds: readonly Id<'prj'>[], withinSeconds = 0): Promise<void> {
    if (projectIds.length === 0) return
    await this.#db
      .updateTable('repository')
      .set({ poll_at: sql<Date>`least(poll_at, now() + make_interval(secs => ${withinSeconds}))` })
      .where('project_id', 'in', projectIds)
      .execute()
  }

  /** Several projects may work in one repository. */
  async projectsOf(
    baseUrl: string,
    by: { hostRepositoryId: number } | { installationId: number },
  ): Promise<Id<'prj'>[]> {
    const ofHost = this.#db.selectFrom('repository').select('project_id').where('base_url', '=', baseUrl)
    const rows = await ('installationId' in by
      ? ofHost.where('installation_id', '=', String(by.installationId))
      : ofHost.where('host_repository_id', '=', String(by.hostRepositoryId))
    ).execute()
    return rows.map(({ project_id }) => project_id)
  }

  /** What was found at `looked`, unless the project was connected to another one meanwhile. */
  async recordLook(projectId: Id<'prj'>, looked: Repository, found: SeenRepository): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const now = await lockRepository(tx, projectId)
      if (!now || !isSameConnection(now, looked)) return
      const seen = ofTheSame(now, found)
      const nameNow = 'id' in seen ? { owner: seen.owner, name: seen.name } : { owner: now.owner, name: now.name }
      await tx
        .updateTable('repository')
        .set({ issue: seen.issue, ...nameNow, ...('id' in seen && { host_repository_id: seen.id }) })
        .where('project_id', '=', projectId)
        .execute()
      const record = (action: 'repository.renamed' | 'repository.issue_changed', detail: Record<string, unknown>) =>
        this.#recordAudit(tx, projectId, { kind: 'code-host' }, { action, subject: projectId, detail })
      if (fullName(nameNow) !== fullName(now))
        await record('repository.renamed', { from: fullName(now), to: fullName(nameNow) })
      if (seen.issue !== now.issue) await record('repository.issue_changed', { issue: seen.issue })
    })
  }
}

async function lockRepository(tx: Transaction<ProjectTables>, projectId: Id<'prj'>): Promise<Repository | undefined> {
  const ofProject = tx.selectFrom('repository').selectAll().where('project_id', '=', projectId)
  const row = await ofProject.forUpdate().executeTakeFirst()
  return row && asRepository(row)
}

/** Another repository that has come to have the name is not the one that was connected. */
const ofTheSame = ({ hostRepositoryId }: Repository, found: SeenRepository): SeenRepository =>
  'id' in found && hostRepositoryId !== null && hostRepositoryId !== found.id ? { issue: 'not_found' } : found

const isSameConnection = (a: Repository, b: Repository) =>
  a.baseUrl === b.baseUrl && fullName(a) === fullName(b) && JSON.stringify(a.access) === JSON.stringify(b.access)

const fullName = ({ owner, name }: Pick<Repository, 'owner' | 'name'>) => `${owner}/${name}`

function asRepository(row: Selectable<ProjectTables['repository']>): Repository {
  const { owner, name, issue, publishing, host } = row
  const shared = {
    baseUrl: row.base_url,
    owner,
    name,
    issue,
    publishing,
    baseBranch: row.base_branch,
    docsFolder: row.docs_folder,
    webhookSecret: row.webhook_secret,
  }
  const hostRepositoryId = row.host_repository_id === null ? null : Number(row.host_repository_id)
  if (row.token_credential_id !== null)
    return { ...shared, host, access: { kind: 'token', credentialId: row.token_credential_id }, hostRepositoryId }
  if (host !== 'github' || row.installation_id === null || hostRepositoryId === null)
    throw new Error('a row that the table does not let in') // its checks say so
  const installationId = Number(row.installation_id)
  return { ...shared, host, access: { kind: 'installation', installationId }, hostRepositoryId }
}
