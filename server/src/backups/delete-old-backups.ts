/**
 * Deletes the oldest backups of this instance, and what is left of those that failed. PostgreSQL records which backups are its own, so
 * complete backups that someone else has added to the storage are neither counted nor deleted.
 */
import type { ClientBase } from 'pg'
import { forgetBackup, listOldBackups, listUnfinishedBackups } from '../database/backup-records.ts'
import type { ServicesConfig } from '../platform/config.ts'
import type { Log } from '../platform/log.ts'
import { tryBackupLock } from '../platform/migrations/backup-lock.ts'
import { BackupError } from './archive/backup-error.ts'
import { folderNameOf, hasManifest, momentOf } from './archive/manifest.ts'
import type { BackupStorage } from './archive/storage.ts'
import { withBackupConnection } from './postgres/backup-connection.ts'

/** Until then, an incomplete folder that is not recorded may be a backup in progress, of another instance. */
const incompleteMs = 48 * 3_600_000

export async function deleteOldBackups(
  { services, storage, log }: { services: Pick<ServicesConfig, 'postgres'>; storage: BackupStorage; log: Log },
  { keep, now }: { keep: number; now: Date },
): Promise<void> {
  const folders = await storage.listFolders() // first: if a volume is not mounted, nothing may be forgotten
  await withBackupConnection(services.postgres, async (client) => {
    if (!(await tryBackupLock(client)))
      throw new BackupError('A backup of this database is in progress, or migrations are being applied.')
    const remove = async (moment: Date, message: string) => {
      const folder = folderNameOf(moment)
      await storage.deleteFolder(folder)
      await forgetBackup(client, moment)
      log.info({ folder }, message)
    }
    for (const moment of await listFailed(client, storage)) await remove(moment, deletedIncomplete)
    for (const moment of await listOldBackups(client, storage.description, keep))
      await remove(moment, 'deleted an old backup')
  })
  for (const folder of folders) {
    const moment = momentOf(folder)
    if (!moment || now.getTime() - moment.getTime() < incompleteMs || (await hasManifest(storage, folder))) continue
    await storage.deleteFolder(folder)
    log.info({ folder }, deletedIncomplete)
  }
}

const deletedIncomplete = 'deleted a backup that was not complete'

/**
 * While the caller has the lock, none of those that are not finished is in progress. One with a manifest is complete, although that was not
 * recorded. It does not count, and is deleted when it is older than those that do: someone else could have written the manifest.
 */
async function listFailed(client: ClientBase, storage: BackupStorage): Promise<Date[]> {
  const failed: Date[] = []
  for (const moment of await listUnfinishedBackups(client, storage.description))
    if (!(await hasManifest(storage, folderNameOf(moment)))) failed.push(moment)
  return failed
}
