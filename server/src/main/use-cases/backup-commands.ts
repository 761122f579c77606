/** `colophon-server backup` and what belongs to it. */
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { BackupError } from '../../backups/archive/backup-error.ts'
import { listFiles, type Manifest } from '../../backups/archive/manifest.ts'
import { openStorage } from '../../backups/archive/open-storage.ts'
import type { S3Access } from '../../backups/archive/s3-storage.ts'
import type { BackupStorage } from '../../backups/archive/storage.ts'
import { createBackup } from '../../backups/create-backup.ts'
import { restoreBackup } from '../../backups/restore-backup.ts'
import { findBackup, listBackups, verifyBackup } from '../../backups/verify-backup.ts'
import { createClickhouse } from '../../platform/clickhouse.ts'
import { loadBackupConfig, loadBackupReaderConfig, loadRestoreConfig } from '../../platform/config.ts'
import { createLog } from '../../platform/log.ts'
import { createChoiceParser } from '../admin/option-parsers.ts'
import { clickhouseTimeoutMs } from '../processes/backup-schedule.ts'
import { migrateServices } from '../processes/migrate.ts'
import { UsageError } from '../usage-error.ts'

interface StorageOption {
  readonly storage: string | undefined
}

export async function writeBackup(options: StorageOption): Promise<void> {
  const config = loadBackupConfig()
  const storage = open(options, config)
  if (config.recipients.length === 0)
    throw new UsageError('COLOPHON_BACKUP_RECIPIENTS is not set. Create a pair of keys with backup key generate.')
  const clickhouse = createClickhouse(config.clickhouse, { timeoutMs: clickhouseTimeoutMs })
  try {
    const log = createLog('backup', config.log)
    const { folder, manifest, manifestSha256 } = await createBackup({
      services: config,
      clickhouse,
      storage,
      recipients: config.recipients,
      log,
    })
    print(describe(folder, manifest))
    print(`SHA-256 of its manifest: ${manifestSha256}`)
  } finally {
    await clickhouse.close()
  }
}

export async function printBackups(options: StorageOption): Promise<void> {
  const storage = open(options, loadBackupReaderConfig())
  for (const { folder, manifest } of await listBackups(storage)) print(describe(folder, manifest))
}

export async function verify(options: StorageOption & { readonly backup: string | undefined }): Promise<void> {
  const { identities = [], ...config } = loadBackupReaderConfig()
  const storage = open(options, config)
  const backup = await findBackup(storage, options.backup)
  await verifyBackup(storage, backup, identities)
  const { manifest, manifestSha256 } = backup
  print(describe(backup.folder, manifest))
  for (const { name, file } of manifest.postgres.tables)
    if (file) print(`  PostgreSQL ${name}: ${format(file.rows)} rows`)
  for (const { name, rows } of manifest.clickhouse.views.files) print(`  ClickHouse ${name}: ${format(rows)} rows`)
  print(`  written by version ${manifest.version}, last migration ${manifest.postgres.migrations.at(-1)?.name}`)
  if (manifest.sealingKeyIds.length > 0) print(`  needs the sealing keys ${manifest.sealingKeyIds.join(', ')}`)
  print(`  SHA-256 of the manifest: ${manifestSha256}`)
  print(identities.length === 0 ? 'The checksums are correct. The contents were not read.' : 'The backup is complete.')
}

export async function restore(
  options: StorageOption & {
    readonly backup: string | undefined
    readonly only: string | undefined
    readonly 'keep-sessions': boolean | undefined
  },
): Promise<void> {
  const only = options.only === undefined ? undefined : parseService(options.only, 'only')
  const { storage: target, s3, identities, sealingKeyIds, log: logConfig, ...services } = loadRestoreConfig()
  const storage = open(options, { storage: target, s3 })
  if (!identities) throw new UsageError('COLOPHON_BACKUP_IDENTITY is not set.')
  const backup = await findBackup(storage, options.backup)
  assertSealingKeys(backup.manifest, sealingKeyIds)
  const log = createLog('restore', logConfig)
  const clickhouse = createClickhouse(services.clickhouse, { timeoutMs: clickhouseTimeoutMs })
  try {
    const keepSessions = options['keep-sessions'] ?? false
    const migrate = () => migrateServices(services, log)
    await restoreBackup({ services, clickhouse, storage, identities, migrate, log }, backup, { only, keepSessions })
  } finally {
    await clickhouse.close()
  }
  print(`Restored ${describe(backup.folder, backup.manifest)}`)
}

const parseService = createChoiceParser(['postgres', 'clickhouse'])

/** Stored credentials that cannot be opened would be noticed much later. */
function assertSealingKeys({ sealingKeyIds }: Manifest, configured: readonly string[] | undefined): void {
  const missing = sealingKeyIds.filter((id) => configured && !configured.includes(id))
  if (missing.length > 0)
    throw new BackupError(`The backup needs the sealing keys ${missing.join(', ')}, which are not configured.`)
}

export async function generateBackupKey(): Promise<void> {
  const identity = await generateX25519Identity()
  process.stderr.write('For the machine that writes backups:\n')
  print(`COLOPHON_BACKUP_RECIPIENTS=${await identityToRecipient(identity)}`)
  process.stderr.write('For restoring. Keep it apart from the backups. Without it, they cannot be opened.\n')
  print(`COLOPHON_BACKUP_IDENTITY=${identity}`)
}

function open(options: StorageOption, config: { storage: string | undefined; s3: S3Access }): BackupStorage {
  const target = options.storage ?? config.storage
  if (target === undefined) throw new UsageError('Missing option --storage: COLOPHON_BACKUP_STORAGE is not set.')
  return openStorage(target, config.s3)
}

function describe(folder: string, manifest: Manifest): string {
  const bytes = listFiles(manifest).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const rows = manifest.postgres.tables.reduce((sum, { file }) => sum + (file?.rows ?? 0), 0)
  const views = manifest.clickhouse.views.files.reduce((sum, file) => sum + file.rows, 0)
  return `${folder}: ${format(rows)} rows of PostgreSQL, ${format(views)} views, ${format(Math.ceil(bytes / 1024))} KiB`
}

const format = (count: number) => count.toLocaleString('en')

const print = (text: string): void => void process.stdout.write(`${text}\n`)
