/** A PostgreSQL database, a Temporal namespace and a ClickHouse database on shared services, for one test file or proof. */
import { randomBytes } from 'node:crypto'
import { createClient } from '@clickhouse/client'
import { generateSealingKeyPair } from '../../server/src/platform/sealed-secrets/sealing-keys.ts'
import type { ServiceAddresses } from '../services/start-services.ts'
import { createDatabaseRoles, createDatabaseStatement, databaseRoles, toOwnerUrl } from './database-roles.ts'
import { runOnPostgres } from './run-on-postgres.ts'

export interface EmptyTestInstance {
  /**
   * Settings of a Colophon process that uses this instance, as the owner of its tables. `withDatabaseRole` gives a process its own
   * role.
   */
  environment: Record<string, string>
  /** As superuser. */
  postgresUrl: string
  clickhouseUrl: string
  drop(): Promise<void>
}

export async function createEmptyTestInstance(
  addresses: ServiceAddresses,
  purpose: string,
): Promise<EmptyTestInstance> {
  const name = `${purpose.replace(/[^a-z0-9]+/gi, '_').toLowerCase()}_${randomBytes(4).toString('hex')}`
  const postgresUrl = new URL(`/${name}`, addresses.postgresUrl).href
  const clickhouseUrl = new URL(`/${name}`, addresses.clickhouseUrl).href
  const clickhouse = createClient({ url: addresses.clickhouseUrl })
  const { gitea, github, modelUrl } = addresses
  const sealingKeys = generateSealingKeyPair()
  await createDatabaseRoles(addresses.postgresUrl)
  await runOnPostgres(addresses.postgresUrl, createDatabaseStatement(name))
  await clickhouse.command({ query: `CREATE DATABASE ${name}` })
  return {
    environment: {
      COLOPHON_DATABASE_URL: toOwnerUrl(postgresUrl),
      COLOPHON_DATABASE_API_ROLE: databaseRoles.api,
      COLOPHON_DATABASE_WORKER_ROLE: databaseRoles.worker,
      COLOPHON_CLICKHOUSE_URL: clickhouseUrl,
      COLOPHON_TEMPORAL_ADDRESS: addresses.temporalAddress,
      COLOPHON_TEMPORAL_NAMESPACE: name,
      COLOPHON_SESSION_SECRET: randomBytes(32).toString('hex'),
      COLOPHON_SEALING_PUBLIC_KEYS: sealingKeys.publicEntry,
      COLOPHON_SEALING_PRIVATE_KEYS: sealingKeys.privateEntry,
      // They are on loopback, which has to be allowed explicitly.
      COLOPHON_EGRESS_ALLOWED_CODE_HOSTS: [gitea.url, github.url].map((url) => new URL(url).host).join(),
      COLOPHON_EGRESS_ALLOWED_MODEL_HOSTS: new URL(modelUrl).host,
    },
    postgresUrl,
    clickhouseUrl,
    async drop() {
      await runOnPostgres(addresses.postgresUrl, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)
      await clickhouse.command({ query: `DROP DATABASE IF EXISTS ${name}` })
      await clickhouse.close()
      // Temporal deletes a namespace only with a workflow of its own. An empty one costs nothing and goes with the services.
    },
  }
}
