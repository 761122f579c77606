/** The GitHub Apps of the instance, one per GitHub: github.com or a GitHub Enterprise Server. */
import { type Selectable, sql } from 'kysely'
import { type Actor, recordInstanceAudit } from '../audit/audit-store.ts'
import type { Database } from '../database/database.ts'
import { type Opener, reseal, type Sealer, toSealedSecret } from '../platform/sealed-secrets/sealed-secret.ts'
import type { GithubTables } from './tables.ts'

export interface GithubApp {
  /** Without a trailing slash. */
  baseUrl: string
  appId: number
  slug: string
  name: string
  /** The URL of its page on GitHub. */
  url: string
  clientId: string
  /** Not sealed, because `api` verifies signatures with it. Null: this GitHub cannot reach the instance. */
  webhookSecret: string | null
  createdAt: Date
}

export interface GithubAppSecrets {
  clientSecret: string
  privateKeyPem: string
}

/** The secrets are still sealed. A process that can open them does so for each use. */
export interface StoredGithubApp extends GithubApp {
  sealedClientSecret: Uint8Array
  sealedPrivateKey: Uint8Array
}

export class GithubAppStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Replaces an existing App of the same GitHub. */
  async put(
    app: Omit<GithubApp, 'createdAt'>,
    secrets: GithubAppSecrets,
    sealer: Sealer,
    actor: Actor,
  ): Promise<GithubApp> {
    const [clientSecret, privateKey] = await Promise.all([
      sealer.seal(secrets.clientSecret, bindingOf(app, 'client-secret')),
      sealer.seal(secrets.privateKeyPem, bindingOf(app, 'private-key')),
    ])
    const row = {
      base_url: app.baseUrl,
      app_id: app.appId,
      slug: app.slug,
      name: app.name,
      url: app.url,
      client_id: app.clientId,
      webhook_secret: app.webhookSecret,
      created_at: sql<Date>`now()`,
      sealed_client_secret: Buffer.from(clientSecret),
      sealed_private_key: Buffer.from(privateKey),
    }
    return this.#db.transaction().execute(async (tx) => {
      const previous = await tx
        .selectFrom('github_app')
        .select('app_id')
        .where('base_url', '=', app.baseUrl)
        .forUpdate()
        .executeTakeFirst()
      const stored = await tx
        .insertInto('github_app')
        .values(row)
        .onConflict((conflict) => conflict.column('base_url').doUpdateSet(row))
        .returningAll()
        .executeTakeFirstOrThrow()
      const detail = { appId: app.appId, slug: app.slug, previousAppId: previous ? Number(previous.app_id) : null }
      await recordInstanceAudit(tx, actor, { action: 'github_app.stored', subject: app.baseUrl, detail })
      return toApp(stored)
    })
  }

  async find(baseUrl: string): Promise<StoredGithubApp | undefined> {
    const row = await this.#db.selectFrom('github_app').selectAll().where('base_url', '=', baseUrl).executeTakeFirst()
    return (
      row && { ...toApp(row), sealedClientSecret: row.sealed_client_secret, sealedPrivateKey: row.sealed_private_key }
    )
  }

  async list(): Promise<GithubApp[]> {
    const rows = await this.#db.selectFrom('github_app').selectAll().orderBy('base_url').execute()
    return rows.map(toApp)
  }

  /** Run it after a new sealing key was put first, like `CredentialStore.resealAll`. */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('github_app').selectAll().execute()
    let resealed = 0
    for (const row of rows) {
      for (const [column, kind] of sealedColumns) {
        const sealed = toSealedSecret(row[column])
        if (!sealer.needsResealing(sealed)) continue
        const newlySealed = await reseal(sealed, bindingOf(toApp(row), kind), { opener, sealer })
        const { numUpdatedRows } = await this.#db
          .updateTable('github_app')
          .set({ [column]: Buffer.from(newlySealed) })
          .where('base_url', '=', row.base_url)
          .where(column, '=', Buffer.from(sealed))
          .executeTakeFirst()
        resealed += Number(numUpdatedRows)
      }
    }
    return { resealed, current: rows.length * sealedColumns.length - resealed }
  }
}

export const openPrivateKey = (app: StoredGithubApp, opener: Opener): Promise<string> =>
  opener.open(toSealedSecret(app.sealedPrivateKey), bindingOf(app, 'private-key'))

export const openClientSecret = (app: StoredGithubApp, opener: Opener): Promise<string> =>
  opener.open(toSealedSecret(app.sealedClientSecret), bindingOf(app, 'client-secret'))

const sealedColumns = [
  ['sealed_client_secret', 'client-secret'],
  ['sealed_private_key', 'private-key'],
] as const

/** Includes the URL, so that an attacker who can write to the table cannot have a secret sent to another URL. */
const bindingOf = (
  { appId, baseUrl }: Pick<GithubApp, 'appId' | 'baseUrl'>,
  kind: 'client-secret' | 'private-key',
) => ({
  projectId: '', // belongs to the instance, not to a project
  credentialId: `${appId} ${baseUrl}`,
  kind: `github-app-${kind}`,
})

const toApp = (row: Selectable<GithubTables['github_app']>): GithubApp => ({
  baseUrl: row.base_url,
  appId: Number(row.app_id),
  slug: row.slug,
  name: row.name,
  url: row.url,
  clientId: row.client_id,
  webhookSecret: row.webhook_secret,
  createdAt: row.created_at,
})
