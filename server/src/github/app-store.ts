/** The installation's own GitHub Apps, one for each GitHub: github.com, or a company's. */
import { type Kysely, type Selectable, sql } from 'kysely'
import { asSealedSecret, type Opener, reseal, type Sealer } from '../platform/sealed-secrets/sealed-secret.ts'
import type { GithubTables } from './tables.ts'

export interface GithubApp {
  /** Without a trailing slash. */
  baseUrl: string
  appId: number
  slug: string
  name: string
  /** Of its page on GitHub. */
  url: string
  clientId: string
  /** Not sealed: `api` checks signatures with it. Null: this GitHub cannot reach us. */
  webhookSecret: string | null
  createdAt: Date
}

export interface AppSecrets {
  clientSecret: string
  privateKeyPem: string
}

/** Its secrets are still sealed: whoever may open them does so for one use. */
export interface StoredApp extends GithubApp {
  sealedClientSecret: Uint8Array
  sealedPrivateKey: Uint8Array
}

export class GithubAppStore {
  readonly #db: Kysely<GithubTables>

  constructor(db: Kysely<GithubTables>) {
    this.#db = db
  }

  /** One that was made anew takes the old one's place. */
  async put(app: Omit<GithubApp, 'createdAt'>, secrets: AppSecrets, sealer: Sealer): Promise<GithubApp> {
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
    const stored = await this.#db
      .insertInto('github_app')
      .values(row)
      .onConflict((conflict) => conflict.column('base_url').doUpdateSet(row))
      .returningAll()
      .executeTakeFirstOrThrow()
    return asApp(stored)
  }

  async find(baseUrl: string): Promise<StoredApp | undefined> {
    const row = await this.#db.selectFrom('github_app').selectAll().where('base_url', '=', baseUrl).executeTakeFirst()
    return (
      row && { ...asApp(row), sealedClientSecret: row.sealed_client_secret, sealedPrivateKey: row.sealed_private_key }
    )
  }

  async list(): Promise<GithubApp[]> {
    const rows = await this.#db.selectFrom('github_app').selectAll().orderBy('base_url').execute()
    return rows.map(asApp)
  }

  /** After a new sealing key was put first, as `CredentialStore.resealAll`. */
  async resealAll(opener: Opener, sealer: Sealer): Promise<{ resealed: number; current: number }> {
    const rows = await this.#db.selectFrom('github_app').selectAll().execute()
    let resealed = 0
    for (const row of rows) {
      for (const [column, kind] of sealedColumns) {
        const sealed = asSealedSecret(row[column])
        if (!sealer.needsResealing(sealed)) continue
        const fresh = await reseal(sealed, bindingOf(asApp(row), kind), { opener, sealer })
        const { numUpdatedRows } = await this.#db
          .updateTable('github_app')
          .set({ [column]: Buffer.from(fresh) })
          .where('base_url', '=', row.base_url)
          .where(column, '=', Buffer.from(sealed))
          .executeTakeFirst()
        resealed += Number(numUpdatedRows)
      }
    }
    return { resealed, current: rows.length * sealedColumns.length - resealed }
  }
}

export const openPrivateKey = (app: StoredApp, opener: Opener): Promise<string> =>
  opener.open(asSealedSecret(app.sealedPrivateKey), bindingOf(app, 'private-key'))

export const openClientSecret = (app: StoredApp, opener: Opener): Promise<string> =>
  opener.open(asSealedSecret(app.sealedClientSecret), bindingOf(app, 'client-secret'))

const sealedColumns = [
  ['sealed_client_secret', 'client-secret'],
  ['sealed_private_key', 'private-key'],
] as const

/** With the address: whoever can write the table still cannot have a secret sent to an address of their own. */
const bindingOf = (
  { appId, baseUrl }: Pick<GithubApp, 'appId' | 'baseUrl'>,
  kind: 'client-secret' | 'private-key',
) => ({
  projectId: '', // the operator's, of no project
  credentialId: `${appId} ${baseUrl}`,
  kind: `github-app-${kind}`,
})

const asApp = (row: Selectable<GithubTables['github_app']>): GithubApp => ({
  baseUrl: row.base_url,
  appId: Number(row.app_id),
  slug: row.slug,
  name: row.name,
  url: row.url,
  clientId: row.client_id,
  webhookSecret: row.webhook_secret,
  createdAt: row.created_at,
})
