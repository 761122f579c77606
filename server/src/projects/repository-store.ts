import { randomBytes } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { Problem } from '../platform/http/problem.ts'
import type { Id } from '../platform/ids.ts'
import { defaultPublishingRules, type PublishingRules } from './publishing-rules.ts'
import type { PublishingSettings } from './publishing-settings.ts'
import type { ProjectTables, RecognizedSite, RepositoryIssue } from './tables.ts'

/** The repository that a project's jobs work in and its pull requests are opened in. */
export type Repository = RepositoryLocation &
  RepositoryAccess &
  RepositorySettings &
  RepositorySite & { rules: PublishingRules; issue: RepositoryIssue | null }

/** Where the repository is, as users enter it. */
export interface RepositoryLocation {
  host: 'gitea' | 'github'
  baseUrl: string
  owner: string
  name: string
}

/**
 * How Colophon accesses the repository. `hostRepositoryId` is the ID on the code host, which stays the same when the repository
 * is renamed. Null: the repository has not been polled yet.
 */
export type RepositoryAccess =
  | { access: { kind: 'token'; credentialId: Id<'crd'> }; hostRepositoryId: number | null }
  | { host: 'github'; access: { kind: 'installation'; installationId: number }; hostRepositoryId: number }

export interface RepositorySettings {
  baseBranch: string
  /** Without a leading or trailing slash. Empty: the whole repository. */
  docsFolder: string
  /** Secret of the repository's own webhook. With an App, it is shared with no one: the App has one webhook for all repositories. */
  webhookSecret: string
  publishing: PublishingSettings
}

/** The site that is built from the repository. */
export interface RepositorySite {
  /** What was recognized on the base branch. Null: not yet. */
  site: RecognizedSite | null
  /** Null: it has to be recognized again. */
  siteRecognizedAt: Date | null
}

/** What a poll of the code host found. */
export type ObservedRepository =
  | { issue: null | 'archived'; id: number; owner: string; name: string }
  | { issue: 'not_found' | 'access_revoked' }

export class RepositoryStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Undefined: no repository is connected, or the project was deleted. */
  async find(projectId: Id<'prj'>): Promise<Repository | undefined> {
    const row = await this.#db
      .selectFrom('repository')
      .innerJoin('project', 'project.id', 'repository.project_id')
      .selectAll('repository')
      .where('project_id', '=', projectId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row && toRepository(row)
  }

  /** To remove the webhook of a project that was deleted. */
  async findOfDeleted(projectId: Id<'prj'>): Promise<Repository | undefined> {
    const query = this.#db.selectFrom('repository').selectAll().where('project_id', '=', projectId)
    const row = await query.executeTakeFirst()
    return row && toRepository(row)
  }

  /** Changes settings that need no new connection test. Location and access stay the same. */
  async change(
    projectId: Id<'prj'>,
    changes: Partial<Pick<Repository, 'baseBranch' | 'docsFolder' | 'publishing'>>,
    actor: Actor,
  ): Promise<Repository> {
    return this.#db.transaction().execute(async (tx) => {
      const before = await lockRepository(tx, projectId)
      if (!before) throw noRepositoryProblem()
      const publishing = { ...before.publishing, ...changes.publishing }
      const isSiteChanged =
        (changes.baseBranch ?? before.baseBranch) !== before.baseBranch ||
        (changes.docsFolder ?? before.docsFolder) !== before.docsFolder
      const after = { ...before, ...changes, publishing, ...(isSiteChanged && noSite) }
      await tx
        .updateTable('repository')
        .set({
          base_branch: after.baseBranch,
          docs_folder: after.docsFolder,
          publishing: JSON.stringify(publishing),
          ...(isSiteChanged && siteToRecognize),
        })
        .where('project_id', '=', projectId)
        .execute()
      await recordAudit(tx, projectId, actor, {
        action: 'repository.changed',
        subject: projectId,
        detail: { ...changes },
      })
      return after
    })
  }

  /** What agents may change, and what a person has to approve. The audit log has the old and the new values. */
  async changeRules(projectId: Id<'prj'>, changes: Partial<PublishingRules>, actor: Actor): Promise<Repository> {
    return this.#db.transaction().execute(async (tx) => {
      const before = await lockRepository(tx, projectId)
      if (!before) throw noRepositoryProblem()
      const rules = { ...before.rules, ...changes }
      const isSiteChanged = rules.siteGenerator !== before.rules.siteGenerator
      await tx
        .updateTable('repository')
        .set({ ...toRuleColumns(rules), ...(isSiteChanged && siteToRecognize) })
        .where('project_id', '=', projectId)
        .execute()
      await recordAudit(tx, projectId, actor, {
        action: 'repository.rules_changed',
        subject: projectId,
        detail: { from: pickChanged(before.rules, changes), to: { ...changes } },
      })
      return { ...before, rules, ...(isSiteChanged && noSite) }
    })
  }

  /**
   * A project has one repository: connecting another one replaces it, and resets the rules about paths, which were meant for the
   * other one. The repository is polled soon after.
   */
  async connect(
    projectId: Id<'prj'>,
    input: RepositoryLocation & RepositoryAccess & Omit<RepositorySettings, 'webhookSecret'>,
    actor: Actor,
  ): Promise<Repository> {
    const webhookSecret = randomBytes(32).toString('hex')
    const repository = { ...input, webhookSecret, issue: null, ...noSite }
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
      issue: repository.issue,
      poll_at: sql<Date>`now()`,
      webhook_secret: repository.webhookSecret,
      publishing: JSON.stringify(repository.publishing),
    }
    return this.#db.transaction().execute(async (tx) => {
      const before = await lockRepository(tx, projectId)
      const rules = !before || isSameRepository(before, repository) ? before?.rules : resetPathRules(before.rules)
      const ruleColumns = toRuleColumns(rules ?? defaultPublishingRules)
      await tx
        .insertInto('repository')
        .values({ project_id: projectId, ...row, ...ruleColumns })
        .onConflict((conflict) =>
          conflict.column('project_id').doUpdateSet({ ...row, ...ruleColumns, ...siteToRecognize }),
        )
        .execute()
      const oldCredentialId = before?.access.kind === 'token' ? before.access.credentialId : null
      if (oldCredentialId !== null && oldCredentialId !== row.token_credential_id)
        await tx
          .deleteFrom('credential')
          .where('project_id', '=', projectId)
          .where('id', '=', oldCredentialId)
          .execute()
      const { baseUrl, owner, name, baseBranch } = repository
      await recordAudit(tx, projectId, actor, {
        action: 'repository.connected',
        subject: projectId,
        detail: { baseUrl, owner, name, baseBranch, access: access.kind },
      })
      return { ...repository, rules: rules ?? defaultPublishingRules }
    })
  }

  /** Each due poll is claimed by one replica. It becomes due again after the interval, even if that replica dies first. */
  async claimDuePolls(
    intervalSeconds: number,
    limit: number,
    excluded: readonly Id<'prj'>[] = [],
  ): Promise<Id<'prj'>[]> {
    const rows = await this.#db
      .updateTable('repository')
      .set({ poll_at: sql<Date>`now() + make_interval(secs => ${intervalSeconds})` })
      .where('project_id', 'in', (query) =>
        query
          .selectFrom('repository')
          .select('project_id')
          .where('poll_at', '<=', sql<Date>`now()`)
          .where(sql<boolean>`project_id <> ALL (${excluded}::text[])`)
          .orderBy('poll_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning('project_id')
      .execute()
    return rows.map(({ project_id }) => project_id)
  }

  /** Makes the next poll happen immediately, or within `withinSeconds`. */
  async requestPoll(projectIds: readonly Id<'prj'>[], withinSeconds = 0): Promise<void> {
    if (projectIds.length === 0) return
    await this.#db
      .updateTable('repository')
      .set({ poll_at: sql<Date>`least(poll_at, now() + make_interval(secs => ${withinSeconds}))` })
      .where('project_id', 'in', projectIds)
      .execute()
  }

  /** Several projects may be connected to the same repository. */
  async findProjects(
    baseUrl: string,
    by: { hostRepositoryId: number } | { installationId: number },
  ): Promise<Id<'prj'>[]> {
    const onHost = this.#db
      .selectFrom('repository')
      .innerJoin('project', 'project.id', 'repository.project_id')
      .select('project_id')
      .where('base_url', '=', baseUrl)
      .where('deleted_at', 'is', null)
    const rows = await ('installationId' in by
      ? onHost.where('installation_id', '=', String(by.installationId))
      : onHost.where('host_repository_id', '=', String(by.hostRepositoryId))
    ).execute()
    return rows.map(({ project_id }) => project_id)
  }

  /** Records the recognized site, unless the settings that it depends on were changed in the meantime. */
  async recordSite(projectId: Id<'prj'>, polled: Repository, site: RecognizedSite): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const current = await lockRepository(tx, projectId)
      const isSame =
        current &&
        isSameConnection(current, polled) &&
        current.baseBranch === polled.baseBranch &&
        current.docsFolder === polled.docsFolder &&
        current.rules.siteGenerator === polled.rules.siteGenerator
      if (!isSame) return
      await tx
        .updateTable('repository')
        .set({ site: JSON.stringify(site), site_recognized_at: sql<Date>`now()` })
        .where('project_id', '=', projectId)
        .execute()
    })
  }

  /** Records what a poll of `polled` found, unless the project was connected to another repository in the meantime. */
  async recordPoll(projectId: Id<'prj'>, polled: Repository, found: ObservedRepository): Promise<void> {
    await this.#db.transaction().execute(async (tx) => {
      const current = await lockRepository(tx, projectId)
      if (!current || !isSameConnection(current, polled)) return
      const observed = rejectOtherRepository(current, found)
      const { owner, name } = 'id' in observed ? observed : current
      const newName = { owner, name }
      await tx
        .updateTable('repository')
        .set({ issue: observed.issue, ...newName, ...('id' in observed && { host_repository_id: observed.id }) })
        .where('project_id', '=', projectId)
        .execute()
      const record = (action: 'repository.renamed' | 'repository.issue_changed', detail: Record<string, unknown>) =>
        recordAudit(tx, projectId, { kind: 'code-host' }, { action, subject: projectId, detail })
      if (fullName(newName) !== fullName(current))
        await record('repository.renamed', { from: fullName(current), to: fullName(newName) })
      if (observed.issue !== current.issue) await record('repository.issue_changed', { issue: observed.issue })
    })
  }
}

const noSite = { site: null, siteRecognizedAt: null }

/** The site is recognized again by the next poll, which is due now. */
const siteToRecognize = { site: null, site_recognized_at: null, poll_at: sql<Date>`now()` }

const toRuleColumns = (rules: PublishingRules) => ({
  site_generator: rules.siteGenerator,
  further_docs_folders: [...rules.furtherDocsFolders],
  allowed_paths: [...rules.allowedPaths],
  active_content: rules.activeContent,
  require_approval: rules.requireApproval,
  fix_failed_checks: rules.fixFailedChecks,
})

const resetPathRules = (rules: PublishingRules): PublishingRules => ({
  ...rules,
  siteGenerator: defaultPublishingRules.siteGenerator,
  furtherDocsFolders: defaultPublishingRules.furtherDocsFolders,
  allowedPaths: defaultPublishingRules.allowedPaths,
})

const pickChanged = (before: PublishingRules, changes: Partial<PublishingRules>) =>
  Object.fromEntries(Object.entries(before).filter(([name]) => name in changes))

const noRepositoryProblem = () =>
  new Problem('project_not_ready', 'The project has no repository yet. Connect one first.')

async function lockRepository(tx: DatabaseTransaction, projectId: Id<'prj'>): Promise<Repository | undefined> {
  const query = tx.selectFrom('repository').selectAll().where('project_id', '=', projectId)
  const row = await query.forUpdate().executeTakeFirst()
  return row && toRepository(row)
}

/** A different repository that now has the same name is not the one that was connected. */
const rejectOtherRepository = ({ hostRepositoryId }: Repository, found: ObservedRepository): ObservedRepository =>
  'id' in found && hostRepositoryId !== null && hostRepositoryId !== found.id ? { issue: 'not_found' } : found

const isSameRepository = (a: RepositoryLocation, b: RepositoryLocation) =>
  a.baseUrl === b.baseUrl && fullName(a) === fullName(b)

const isSameConnection = (a: Repository, b: Repository) =>
  isSameRepository(a, b) && JSON.stringify(a.access) === JSON.stringify(b.access)

const fullName = ({ owner, name }: Pick<Repository, 'owner' | 'name'>) => `${owner}/${name}`

function toRepository(row: Selectable<ProjectTables['repository']>): Repository {
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
    rules: {
      siteGenerator: row.site_generator,
      furtherDocsFolders: row.further_docs_folders,
      allowedPaths: row.allowed_paths,
      activeContent: row.active_content,
      requireApproval: row.require_approval,
      fixFailedChecks: row.fix_failed_checks,
    },
    site: row.site,
    siteRecognizedAt: row.site_recognized_at,
  }
  const hostRepositoryId = row.host_repository_id === null ? null : Number(row.host_repository_id)
  if (row.token_credential_id !== null)
    return { ...shared, host, access: { kind: 'token', credentialId: row.token_credential_id }, hostRepositoryId }
  if (host !== 'github' || row.installation_id === null || hostRepositoryId === null)
    throw new Error('the repository row violates the CHECK constraints of its table')
  const installationId = Number(row.installation_id)
  return { ...shared, host, access: { kind: 'installation', installationId }, hostRepositoryId }
}
