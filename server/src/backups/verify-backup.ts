/** Reads a backup completely, without a database. */
import { BackupError } from './archive/backup-error.ts'
import { checkBackupFile, readBackupFile } from './archive/backup-file.ts'
import { findManifest, listFiles, momentOf, type StoredManifest } from './archive/manifest.ts'
import type { BackupStorage } from './archive/storage.ts'

export interface StoredBackup extends StoredManifest {
  folder: string
}

/** Complete backups, oldest first. */
export async function listBackups(storage: BackupStorage): Promise<StoredBackup[]> {
  const backups: StoredBackup[] = []
  for (const folder of await listBackupFolders(storage)) {
    const found = await findManifest(storage, folder)
    if (found) backups.push({ folder, ...found })
  }
  return backups
}

/** By its folder, or the newest. */
export async function findBackup(storage: BackupStorage, folder: string | undefined): Promise<StoredBackup> {
  if (folder === undefined) {
    for (const candidate of (await listBackupFolders(storage)).toReversed()) {
      const found = await findManifest(storage, candidate)
      if (found) return { folder: candidate, ...found }
    }
    throw new BackupError(`There is no backup in ${storage.description}.`)
  }
  const found = await findManifest(storage, folder)
  if (!found) throw new BackupError(`There is no backup ${folder} in ${storage.description}, or it is not complete.`)
  return { folder, ...found }
}

const listBackupFolders = async (storage: BackupStorage) =>
  (await storage.listFolders()).filter((folder) => momentOf(folder) !== undefined)

/** Throws a `BackupError` for the first file that is missing or damaged. Without an identity, only the checksums are compared. */
export async function verifyBackup(
  storage: BackupStorage,
  { folder, manifest }: StoredBackup,
  identities: readonly string[],
): Promise<void> {
  for (const file of listFiles(manifest)) {
    if (identities.length === 0) await checkBackupFile(storage, folder, file)
    else for await (const _ of readBackupFile(storage, folder, file, identities));
  }
}
