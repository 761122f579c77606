/** A project's settings for counting page views, and the public site keys that identify it to the script. */
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Actor, recordAudit } from '../../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../../database/database.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify-request.ts'
import type { AiScope } from '../query/ai-scope.ts'

export interface AnalyticsSettings {
  /** The source that counts humans. Unless chosen: servers until the first site key, the script afterwards. */
  humanSource: CountingSource
  /** For the script: whether browsers that send Do Not Track or Global Privacy Control are left uncounted. */
  respectDoNotTrack: boolean
  /** The origins where the script may run, for example `https://docs.example.com`. Empty: anywhere. */
  allowedOrigins: string[]
  /** Which clients count as AI if a query does not say. */
  aiScope: AiScope
  /** Whole months, in addition to the current one. Null: forever. */
  retentionMonths: number | null
}

/** Public: it is part of the pages of the site. */
export interface SiteKey {
  key: string
  createdAt: Date
}

export interface CreatedSiteKey extends SiteKey {
  /** Whether humans are now counted by the script instead of by servers, because this is the project's first site key. */
  switchedHumanSource: boolean
}

export interface AnalyticsSite {
  projectId: Id<'prj'>
  settings: AnalyticsSettings
}

/** The settings of a project without a row. They agree with the defaults of the table, where `human_source` is null. */
const defaultSettings = {
  humanSource: 'servers',
  respectDoNotTrack: true,
  allowedOrigins: [],
  aiScope: 'all',
  retentionMonths: null,
} as const satisfies AnalyticsSettings

const maxSiteKeys = 1_000 // stops a client that creates keys in a loop

export class AnalyticsSettingsStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async read(projectId: Id<'prj'>): Promise<AnalyticsSite> {
    const row = await this.#db
      .selectFrom('analytics_settings')
      .select(settingColumns)
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return { projectId, settings: withDefaults(row ?? defaultSettings) }
  }

  async change(projectId: Id<'prj'>, changes: Partial<AnalyticsSettings>, actor: Actor): Promise<AnalyticsSettings> {
    const row = {
      ...(changes.humanSource !== undefined && { human_source: changes.humanSource }),
      ...(changes.respectDoNotTrack !== undefined && { respect_do_not_track: changes.respectDoNotTrack }),
      ...(changes.allowedOrigins !== undefined && { allowed_origins: changes.allowedOrigins }),
      ...(changes.aiScope !== undefined && { ai_scope: changes.aiScope }),
      ...(changes.retentionMonths !== undefined && { retention_months: changes.retentionMonths }),
    }
    return this.#db.transaction().execute(async (tx) => {
      const changed = await tx
        .insertInto('analytics_settings')
        .values({ project_id: projectId, ...row })
        // Sets at least the project ID, because an update without changes would return no row.
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id: projectId, ...row }))
        .returning(settingColumns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, actor, {
        action: 'analytics.settings_changed',
        subject: projectId,
        detail: changes,
      })
      return withDefaults(changed)
    })
  }

  async findBySiteKey(siteKey: string): Promise<AnalyticsSite | undefined> {
    if (!isSiteKey(siteKey)) return undefined
    const siteKeyRow = await this.#db
      .selectFrom('site_key')
      .select('project_id as projectId')
      .where('key', '=', siteKey)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return siteKeyRow && this.read(siteKeyRow.projectId)
  }

  /** Without revoked keys, oldest first. */
  async listSiteKeys(projectId: Id<'prj'>): Promise<SiteKey[]> {
    return this.#db
      .selectFrom('site_key')
      .select(siteKeyColumns)
      .where('project_id', '=', projectId)
      .where('revoked_at', 'is', null)
      .orderBy('created_at')
      .orderBy('key')
      .execute()
  }

  /** The project's first site key, ever, makes the script count humans, unless the source was chosen before. */
  async createSiteKey(projectId: Id<'prj'>, actor: Actor): Promise<CreatedSiteKey> {
    const key = `site_${randomBytes(12).toString('hex')}`
    return this.#db.transaction().execute(async (tx) => {
      const { count } = await tx
        .selectFrom('site_key')
        .select((eb) => eb.fn.countAll<string>().as('count'))
        .where('project_id', '=', projectId)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow()
      if (Number(count) >= maxSiteKeys)
        throw new Problem('invalid_request', `A project can have at most ${maxSiteKeys} site keys. Revoke one first.`)
      const created = await tx
        .insertInto('site_key')
        .values({ key, project_id: projectId })
        .returning(siteKeyColumns)
        .executeTakeFirstOrThrow()
      await recordAudit(tx, projectId, actor, { action: 'site_key.created', subject: key, detail: {} })
      const switchedHumanSource = await setUnchosenHumanSource(tx, projectId, 'script')
      if (switchedHumanSource) {
        await recordAudit(tx, projectId, actor, {
          action: 'analytics.settings_changed',
          subject: projectId,
          detail: { humanSource: 'script', reason: 'first_site_key' },
        })
      }
      return { ...created, switchedHumanSource }
    })
  }

  /** Idempotent. */
  async revokeSiteKey(projectId: Id<'prj'>, key: string, actor: Actor): Promise<SiteKey> {
    return this.#db.transaction().execute(async (tx) => {
      const found =
        isSiteKey(key) &&
        (await tx
          .selectFrom('site_key')
          .select([...siteKeyColumns, 'revoked_at as revokedAt'])
          .where('project_id', '=', projectId)
          .where('key', '=', key)
          .forUpdate()
          .executeTakeFirst())
      if (!found) throw new Problem('not_found', 'This project does not have that site key.')
      const { revokedAt, ...siteKey } = found
      if (revokedAt) return siteKey
      await tx.updateTable('site_key').set({ revoked_at: sql`now()` }).where('key', '=', key).execute()
      await recordAudit(tx, projectId, actor, { action: 'site_key.revoked', subject: key, detail: {} })
      return siteKey
    })
  }
}

const withDefaults = (
  settings: Omit<AnalyticsSettings, 'humanSource'> & { humanSource: CountingSource | null },
): AnalyticsSettings => ({ ...settings, humanSource: settings.humanSource ?? defaultSettings.humanSource })

/**
 * Returns false if a source is set already. One statement, which locks the row: concurrent calls and changes of the settings
 * take effect one after another.
 */
async function setUnchosenHumanSource(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  source: CountingSource,
): Promise<boolean> {
  const updated = await tx
    .insertInto('analytics_settings')
    .values({ project_id: projectId, human_source: source })
    .onConflict((conflict) =>
      conflict
        .column('project_id')
        .doUpdateSet({ human_source: source })
        .where('analytics_settings.human_source', 'is', null),
    )
    .returning('project_id')
    .executeTakeFirst()
  return updated !== undefined
}

/** Anyone can send any text: only valid keys are queried, and PostgreSQL does not accept every text anyway. */
const isSiteKey = (text: string) => /^site_[0-9a-f]{24}$/.test(text)

const siteKeyColumns = ['key', 'created_at as createdAt'] as const
const settingColumns = [
  'human_source as humanSource',
  'respect_do_not_track as respectDoNotTrack',
  'allowed_origins as allowedOrigins',
  'ai_scope as aiScope',
  'retention_months as retentionMonths',
] as const
