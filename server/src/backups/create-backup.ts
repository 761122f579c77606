/**
 * Writes a backup of PostgreSQL and ClickHouse as they were at one moment, while all processes go on working. Temporal is not part of it:
 * jobs whose workflow is missing are continued from PostgreSQL.
 */
import type { ClickHouseClient } from '@clickhouse/client'
import type { ClientBase } from 'pg'
import {
  countSentBatches,
  exportedViewColumns,
  exportSentBatches,
  exportViews,
  listViewMonths,
  sentBatchColumns,
  takeViewSnapshot,
  type ViewSnapshot,
} from '../analytics/backup/export-views.ts'
import { acquireDeletionLock } from '../analytics/load/delete-expired-views.ts'
import { pauseLoader, resumeLoader } from '../analytics/load/loader-pause.ts'
import { forgetBackup, recordBackup, recordEndOfBackup } from '../database/backup-records.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { tryBackupLock } from '../platform/migrations/backup-lock.ts'
import {
  listAppliedClickhouseMigrations,
  planClickhouseMigrations,
} from '../platform/migrations/clickhouse-migrations.ts'
import type { MigrationPlan } from '../platform/migrations/migration-files.ts'
import { listAppliedPostgresMigrations, planPostgresMigrations } from '../platform/migrations/postgres-migrations.ts'
import { version } from '../platform/version.ts'
import { BackupError } from './archive/backup-error.ts'
import { assertRecipients, type BackupFile, writeBackupFile } from './archive/backup-file.ts'
import { folderNameOf, type Manifest, writeManifest } from './archive/manifest.ts'
import type { BackupStorage } from './archive/storage.ts'
import { withBackupConnection } from './postgres/backup-connection.ts'
import { beginSnapshot, dumpTables } from './postgres/dump.ts'

export interface BackupDeps {
  services: Pick<ServicesConfig, 'postgres'>
  /** With a timeout that is longer than the storage may take for a part of a file. */
  clickhouse: ClickHouseClient
  storage: BackupStorage
  recipients: readonly string[]
  log: Log
  /** Ends a backup that is being written, whatever it is waiting for. */
  signal?: AbortSignal
}

export interface CreatedBackup {
  folder: string
  manifest: Manifest
  manifestSha256: string
}

/**
 * Rejects with a `BackupError` if a backup cannot be created now. What was written of it is deleted, if that is possible. It is recorded before
 * it is written, so that nothing stays in the storage that PostgreSQL does not know.
 */
export async function createBackup(deps: BackupDeps): Promise<CreatedBackup> {
  const { services, clickhouse, storage, log, signal } = deps
  assertRecipients(deps.recipients)
  const begun: { moment?: Date } = {}
  const write = async (client: ClientBase) => {
    if (!(await tryBackupLock(client)))
      throw new BackupError('Another backup of this database is in progress, or migrations are being applied.')
    // Until the views are exported, so that all that existed at the moment still exist.
    await acquireDeletionLock(client)
    assertCurrent('PostgreSQL', await planPostgresMigrations(client))
    assertCurrent('ClickHouse', await planClickhouseMigrations(clickhouse))
    const snapshot = await takeSnapshot(client, clickhouse)
    begun.moment = snapshot.moment
    log.info({ folder: folderNameOf(snapshot.moment), storage: storage.description }, 'writing a backup')
    const begin = { moment: snapshot.moment, finishedAt: undefined, storage: storage.description }
    // On another connection, because that of the snapshot can only read.
    await withBackupConnection(services.postgres, (other) => recordBackup(other, begin))
    return writeBackup(client, deps, snapshot)
  }
  let created: CreatedBackup
  try {
    created = await withBackupConnection(services.postgres, write, signal)
  } catch (error) {
    // The connection is closed now: a storage that is down must not delay that.
    if (begun.moment) await deleteFailedBackup(deps, begun.moment)
    throw error
  }
  await recordEnd(deps, created.manifest)
  return created
}

/** If that fails, the backup is complete nevertheless, so it is kept. PostgreSQL may have restarted since the backup began. */
async function recordEnd({ services }: BackupDeps, { moment, finishedAt }: Manifest): Promise<void> {
  const end = { moment: new Date(moment), finishedAt: new Date(finishedAt) }
  const isRecorded = await withBackupConnection(services.postgres, (client) => recordEndOfBackup(client, end))
  if (!isRecorded) throw new BackupError('The backup was deleted while it was being written.')
}

async function deleteFailedBackup({ services, storage, log }: BackupDeps, moment: Date): Promise<void> {
  const folder = folderNameOf(moment)
  try {
    await storage.deleteFolder(folder)
    await withBackupConnection(services.postgres, (client) => forgetBackup(client, moment))
  } catch (error) {
    log.warn({ folder, error: String(error) }, 'could not delete what was written of a backup that failed')
  }
}

interface Snapshot {
  moment: Date
  views: ViewSnapshot
}

async function writeBackup(
  client: ClientBase,
  { clickhouse, storage, recipients, log, signal }: BackupDeps,
  { moment, views }: Snapshot,
): Promise<CreatedBackup> {
  const folder = folderNameOf(moment)
  const postgresMigrations = await listAppliedPostgresMigrations(client)
  const dump = await dumpTables(client, { storage, folder, recipients, signal })
  log.info({ folder, tables: dump.postgres.tables.length }, 'PostgreSQL is written')

  const write = (name: string, lines: AsyncIterable<Uint8Array>) =>
    writeBackupFile(storage, { folder, name: `clickhouse/${name}.tsv.zst.age` }, lines, { recipients, signal })
  const months: BackupFile[] = []
  for (const month of await listViewMonths(clickhouse, views)) {
    const file = await write(`views-${month.month}`, exportViews(clickhouse, views, month))
    if (file.rows !== month.rows)
      throw new Error(`ClickHouse returned ${file.rows} of ${month.rows} views of the month ${month.month}`)
    months.push(file)
  }
  const sentBatchRows = await countSentBatches(clickhouse, views)
  const sentBatches = await write('sent-batches', exportSentBatches(clickhouse, views))
  if (sentBatches.rows !== sentBatchRows)
    throw new Error(`ClickHouse returned ${sentBatches.rows} of ${sentBatchRows} batches`)

  const manifest: Manifest = {
    format: 1,
    version,
    moment: moment.toISOString(),
    finishedAt: new Date().toISOString(),
    recipients: [...recipients],
    postgres: { migrations: postgresMigrations, ...dump.postgres },
    clickhouse: {
      migrations: await listAppliedClickhouseMigrations(clickhouse),
      views: { columns: exportedViewColumns, files: months },
      sentBatches: { columns: sentBatchColumns, file: sentBatches },
    },
    sealingKeyIds: dump.sealingKeyIds,
  }
  return { folder, manifest, manifestSha256: await writeManifest(storage, folder, manifest, signal) }
}

/**
 * The transaction of PostgreSQL stays open. The loader pauses for less than a second: if this fails, until the caller has closed the
 * connection. To resume it here, in a transaction that has failed, would fail as well, and hide the reason.
 */
async function takeSnapshot(client: ClientBase, clickhouse: ClickHouseClient): Promise<Snapshot> {
  await pauseLoader(client)
  const moment = await beginSnapshot(client)
  const views = await takeViewSnapshot(client, clickhouse)
  await resumeLoader(client)
  return { moment, views }
}

function assertCurrent(service: string, { pending, unknown }: MigrationPlan): void {
  if (pending.length > 0)
    throw new BackupError(`The schema of ${service} is older than this version. Run colophon-server migrate first.`)
  if (unknown.length > 0)
    throw new BackupError(`The schema of ${service} is newer than this version. Use that version for the backup.`)
}
