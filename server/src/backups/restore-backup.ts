/**
 * Restores a backup into empty databases. PostgreSQL comes last and in one transaction, so that processes that start too early find either
 * nothing or everything.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import type { ClientBase } from 'pg'
import {
  beginImport,
  countImportedViews,
  findUnfinishedImport,
  finishImport,
  hasViews,
  importSentBatches,
  importViews,
} from '../analytics/backup/import-views.ts'
import { tryLoaderLock } from '../analytics/load/loader.ts'
import { recordRestore } from '../audit/record-restore.ts'
import { isBackupRecorded, recordBackup } from '../database/backup-records.ts'
import { ensureClickhouseDatabase } from '../platform/clickhouse.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { listAppliedClickhouseMigrations, migrateClickhouse } from '../platform/migrations/clickhouse-migrations.ts'
import {
  lastAppliedPostgresMigration,
  migratePostgres,
  planPostgresMigrationsAfter,
} from '../platform/migrations/postgres-migrations.ts'
import { BackupError } from './archive/backup-error.ts'
import { type BackupFile, readBackupFile } from './archive/backup-file.ts'
import { hasManifest, type Manifest, momentOf } from './archive/manifest.ts'
import type { BackupStorage } from './archive/storage.ts'
import { withBackupConnection } from './postgres/backup-connection.ts'
import { assertTablesEmpty, loadTables } from './postgres/load.ts'
import { resetAfterRestore } from './reset-after-restore.ts'
import type { StoredBackup } from './verify-backup.ts'

export type RestoredService = 'postgres' | 'clickhouse'

export interface RestoreDeps {
  services: Pick<ServicesConfig, 'postgres' | 'clickhouse'>
  clickhouse: ClickHouseClient
  storage: BackupStorage
  identities: readonly string[]
  /** Applies the migrations that are later than the backup, as in an upgrade. */
  migrate(): Promise<void>
  log: Log
}

type ReadFile = (file: BackupFile) => AsyncIterable<Uint8Array>

export interface RestoreOptions {
  /** The other service keeps what it has, or is restored from another backup. */
  only: RestoredService | undefined
  keepSessions: boolean
}

/** Rejects with a `BackupError` if the backup or the databases do not allow it. Can be repeated after any failure. */
export async function restoreBackup(
  { services, clickhouse, storage, identities, migrate, log }: RestoreDeps,
  backup: StoredBackup,
  { only, keepSessions }: RestoreOptions,
): Promise<void> {
  const { folder, manifest } = backup
  const read: ReadFile = (file) => readBackupFile(storage, folder, file, identities)
  await withBackupConnection(services.postgres, async (client) => {
    await assertNotRunning(client)
    if (only !== 'postgres') {
      await ensureClickhouseDatabase(services.clickhouse)
      await migrateClickhouse(clickhouse, () => {})
      await assertClickhouseMigrationsKnown(clickhouse, manifest)
    }
    const isCommitted = only === undefined && (await wasInterruptedAfterCommit(client, clickhouse, backup))
    if (isCommitted) log.info({ folder }, 'both databases were restored before: only the end is left')
    else {
      if (only !== 'clickhouse') await prepareSchema(client, manifest)
      if (only !== 'postgres') {
        await restoreViews(clickhouse, backup, { restoresPostgres: only === undefined, read })
        log.info({ views: sumRows(manifest.clickhouse.views.files) }, 'ClickHouse is restored')
      }
      if (only !== 'clickhouse') {
        await restoreTables(client, backup, { storage, read, keepSessions })
        log.info({ tables: manifest.postgres.tables.length }, 'PostgreSQL is restored')
      }
    }
    if (only !== 'clickhouse') await migrate()
    if (only !== 'postgres') await finishImport(clickhouse)
  })
}

/**
 * Only the rest is left to do. The views were complete before PostgreSQL was restored, and PostgreSQL was empty when that restore began: it
 * knows the backup only if it was restored from it.
 */
async function wasInterruptedAfterCommit(
  client: ClientBase,
  clickhouse: ClickHouseClient,
  { folder, manifest }: StoredBackup,
): Promise<boolean> {
  const unfinished = await findUnfinishedImport(clickhouse)
  return (
    unfinished?.folder === folder &&
    unfinished.restoresPostgres &&
    (await isBackupRecorded(client, new Date(manifest.moment)))
  )
}

/** The schema of the backup. Later migrations follow when the rows are there, as in an upgrade. */
async function prepareSchema(client: ClientBase, { postgres }: Manifest): Promise<void> {
  const { unknown } = planPostgresMigrationsAfter(postgres.migrations)
  if (unknown.length > 0) throw writtenByNewerVersion(unknown[0])
  const last = postgres.migrations.at(-1)?.name ?? ''
  await migratePostgres(client, () => {}, { until: last })
  if ((await lastAppliedPostgresMigration(client)) !== last)
    throw new BackupError('The schema of the database is newer than that of the backup. Restore into a new database.')
  await assertTablesEmpty(client)
}

/** In ClickHouse, which this version has migrated. */
async function assertClickhouseMigrationsKnown(clickhouse: ClickHouseClient, manifest: Manifest): Promise<void> {
  const known = new Set((await listAppliedClickhouseMigrations(clickhouse)).map(({ name }) => name))
  const unknown = manifest.clickhouse.migrations.find(({ name }) => !known.has(name))
  if (unknown) throw writtenByNewerVersion(unknown.name)
}

const writtenByNewerVersion = (migration: string | undefined) =>
  new BackupError(`The backup was written by a newer version of Colophon: this one does not know ${migration}.`)

async function restoreTables(
  client: ClientBase,
  { folder, manifest: { postgres, moment, finishedAt } }: StoredBackup,
  { storage, read, keepSessions }: { storage: BackupStorage; read: ReadFile; keepSessions: boolean },
): Promise<void> {
  const restored = { moment: new Date(moment), finishedAt: new Date(finishedAt) }
  const newer = await listNewerBackups(storage, restored.moment)
  await client.query('BEGIN')
  await loadTables(client, postgres, read)
  await resetAfterRestore(client, { keepSessions })
  // What PostgreSQL does not know would never be deleted. Who has written the newer ones cannot be known, so they do not count.
  await recordBackup(client, { ...restored, storage: storage.description })
  for (const each of newer)
    await recordBackup(client, { moment: each, finishedAt: undefined, storage: storage.description })
  await recordRestore(client, folder)
  await client.query('COMMIT')
  await client.query('ANALYZE')
}

/** The moments of those that are complete. */
async function listNewerBackups(storage: BackupStorage, moment: Date): Promise<Date[]> {
  const newer: Date[] = []
  for (const folder of await storage.listFolders()) {
    const other = momentOf(folder)
    if (other && other > moment && (await hasManifest(storage, folder))) newer.push(other)
  }
  return newer
}

async function restoreViews(
  clickhouse: ClickHouseClient,
  { folder, manifest }: StoredBackup,
  { restoresPostgres, read }: { restoresPostgres: boolean; read: ReadFile },
): Promise<void> {
  const { views, sentBatches } = manifest.clickhouse
  if (await hasViews(clickhouse))
    throw new BackupError('ClickHouse is not empty: it has views. Restore into a new database.')
  await beginImport(clickhouse, { folder, restoresPostgres })
  await importSentBatches(clickhouse, sentBatches.columns, read(sentBatches.file))
  for (const month of views.files) await importViews(clickhouse, views.columns, read(month))
  const expected = sumRows(views.files)
  const { rows, difference } = await countImportedViews(clickhouse)
  if (rows !== expected) throw new BackupError(`ClickHouse has ${rows} of the ${expected} views of the backup.`)
  if (difference !== 0) throw new BackupError(`The sums of ClickHouse differ from its views by ${difference}.`)
}

const sumRows = (files: readonly BackupFile[]) => files.reduce((sum, { rows }) => sum + rows, 0)

/** The loader would load views while they are restored. */
async function assertNotRunning(client: ClientBase): Promise<void> {
  if (!(await tryLoaderLock(client)))
    throw new BackupError('A worker is connected to this database. Stop all processes of Colophon first.')
}
