import type { BackupStorage } from './storage.ts'

/** Not the name of a backup. */
const folder = 'probe'

/** Rejects if backups cannot be written to a storage and deleted from it. */
export async function probeStorage(storage: BackupStorage): Promise<void> {
  await storage.listFolders()
  async function* content() {
    yield Buffer.from('Colophon can write backups here.\n')
  }
  await storage.write(`${folder}/file`, content())
  await storage.deleteFolder(folder)
}
