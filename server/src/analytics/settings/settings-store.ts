/** How a project wants its views counted, and the public keys by which its script is known. */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Actor, RecordAudit } from '../../audit/audit-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { CountingSource } from '../classify/classify.ts'
import type { AiMeaning } from '../query/ai-meaning.ts'
import type { AnalyticsTables } from '../tables.ts'

export interface AnalyticsSettings {
  humanSource: CountingSource
  /** Of the script: whether Do-Not-Track and Global Privacy Control are obeyed. */
  respectDoNotTrack: boolean
  /** Where the script may stand, like `https://docs.example.com`; empty: anywhere. */
  allowedOrigins: string[]
  /** What `ai` means where a caller does not say. */
  aiScope: AiMeaning
  /** Besides the running month; null: for ever. */
  retentionMonths: number | null
}

/** Public: it stands in the pages of the site. */
export interface SiteKey {
  key: string
  createdAt: Date
}

export interface Site {
  projectId: Id<'prj'>
  settings: AnalyticsSettings
  /** Where the project's views are in ClickHouse. */
  shard: number
}

/** Of a project that has said nothing, as the table's own defaults are. */
const asItComes = {
  humanSource: 'script',
  respectDoNotTrack: true,
  allowedOrigins: [],
  aiScope: 'all',
  retentionMonths: null,
} as const satisfies AnalyticsSettings

const firstShard = 0
const maxSiteKeys = 1_000 // whoever makes them in a loop should notice, and so should we

export class SettingsStore {
  readonly #db: Kysely<AnalyticsTables>
  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<AnalyticsTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  async read(projectId: Id<'prj'>): Promise<Site> {
    const row = await this.#db
      .selectFrom('analytics_settings')
      .select([...settingColumns, 'shard'])
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    const { shard, ...settings } = row ?? { ...asItComes, shard: firstShard }
    return { projectId, settings, shard }
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
        // At least something has to be set, or an empty change of what is there would return nothing.
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id: projectId, ...row }))
        .returning(settingColumns)
        .executeTakeFirstOrThrow()
      await this.#recordAudit(tx, projectId, actor, {
        action: 'analytics.settings_changed',
        subject: projectId,
        detail: changes,
      })
      return changed
    })
  }

  async findBySiteKey(siteKey: string): Promise<Site | undefined> {
    if (!isSiteKey(siteKey)) return undefined
    const found = await this.#db
      .selectFrom('site_key')
      .select('project_id as projectId')
      .where('key', '=', siteKey)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return found && this.read(found.projectId)
  }

  /** Those that are good, oldest first. */
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

  async createSiteKey(projectId: Id<'prj'>, actor: Actor): Promise<SiteKey> {
    const key = `site_${randomBytes(12).toString('hex')}`
    return this.#db.transaction().execute(async (tx) => {
      const { known } = await tx
        .selectFrom('site_key')
        .select((count) => count.fn.countAll<string>().as('known'))
        .where('project_id', '=', projectId)
        .where('revoked_at', 'is', null)
        .executeTakeFirstOrThrow()
      if (Number(known) >= maxSiteKeys)
        throw new Problem('invalid_request', `A project has at most ${maxSiteKeys} site keys: revoke one first.`)
      const made = await tx
        .insertInto('site_key')
        .values({ key, project_id: projectId })
        .returning(siteKeyColumns)
        .executeTakeFirstOrThrow()
      await this.#recordAudit(tx, projectId, actor, { action: 'site_key.created', subject: key, detail: {} })
      return made
    })
  }

  /** Doing it again changes nothing. */
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
      if (!found) throw new Problem('not_found', 'There is no such site key in this project.')
      const { revokedAt, ...siteKey } = found
      if (revokedAt) return siteKey
      await tx.updateTable('site_key').set({ revoked_at: sql`now()` }).where('key', '=', key).execute()
      await this.#recordAudit(tx, projectId, actor, { action: 'site_key.revoked', subject: key, detail: {} })
      return siteKey
    })
  }
}

/** Strangers send anything: what cannot be a key is not looked for, nor could PostgreSQL take every text. */
const isSiteKey = (text: string) => /^site_[0-9a-f]{24}$/.test(text)

const siteKeyColumns = ['key', 'created_at as createdAt'] as const
const settingColumns = [
  'human_source as humanSource',
  'respect_do_not_track as respectDoNotTrack',
  'allowed_origins as allowedOrigins',
  'ai_scope as aiScope',
  'retention_months as retentionMonths',
] as const
