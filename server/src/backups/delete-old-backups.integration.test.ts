import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { createTestInstance } from '../../../testing/harness/test-instance.ts'
import { recordBackup } from '../database/backup-records.ts'
import { loadMigrateConfig } from '../platform/config.ts'
import { createLog } from '../platform/log.ts'
import { tryBackupLock } from '../platform/migrations/backup-lock.ts'
import { BackupError } from './archive/backup-error.ts'
import { DirectoryStorage } from './archive/directory-storage.ts'
import { folderNameOf, momentOf } from './archive/manifest.ts'
import { deleteOldBackups } from './delete-old-backups.ts'
import { withBackupConnection } from './postgres/backup-connection.ts'

const log = createLog('test', { level: 'error' })
const instance = await createTestInstance(inject('services'), 'delete old backups')
afterAll(() => instance.drop())
const services = loadMigrateConfig(instance.environment)
const now = new Date('2026-11-19T12:00:00Z')

const momentOfDay = (day: number) => new Date(Date.UTC(2026, 10, day, 2))
const folderOf = (day: number) => folderNameOf(momentOfDay(day))

async function createStorage(): Promise<DirectoryStorage> {
  const root = await mkdtemp(join(tmpdir(), 'colophon-backups-'))
  onTestFinished(() => rm(root, { recursive: true }))
  return new DirectoryStorage(root)
}

async function addFolder({ description: root }: DirectoryStorage, folder: string, { isComplete = true } = {}) {
  await mkdir(join(root, folder))
  if (isComplete) await writeFile(join(root, folder, 'manifest.json'), '{}')
}

/** As `createBackup` does, without the files. */
async function addBackup(
  storage: DirectoryStorage,
  day: number,
  { isComplete = true, isFinished = true } = {},
): Promise<void> {
  await addFolder(storage, folderOf(day), { isComplete })
  const finishedAt = isFinished ? momentOfDay(day) : undefined
  const backup = { moment: momentOfDay(day), finishedAt, storage: storage.description }
  await withBackupConnection(services.postgres, (client) => recordBackup(client, backup))
  onTestFinished(async () => {
    await instance.pool.query('DELETE FROM instance_backup WHERE moment = $1', [backup.moment])
  })
}

async function keep(storage: DirectoryStorage, count: number): Promise<string[]> {
  await deleteOldBackups({ services, storage, log }, { keep: count, now })
  return (await readdir(storage.description)).sort()
}

test('keeps the newest backups', async () => {
  const storage = await createStorage()
  for (const day of [10, 11, 12, 13]) await addBackup(storage, day)
  expect(await keep(storage, 9)).toHaveLength(4)
  expect(await keep(storage, 2)).toEqual([folderOf(12), folderOf(13)])
  expect(await keep(storage, 1)).toEqual([folderOf(13)])
})

test('folders that others have added neither count nor are deleted', async () => {
  const storage = await createStorage()
  for (const day of [10, 11]) await addBackup(storage, day)
  const added = ['2026-11-11T05-00-00.000Z', '2999-01-01T00-00-00.000Z', '2999-01-02T00-00-00.000Z', 'photos']
  for (const folder of added) await addFolder(storage, folder)
  expect(await keep(storage, 2)).toEqual([folderOf(10), folderOf(11), ...added])
})

test('backups in another storage do not count', async () => {
  const storage = await createStorage()
  const other = await createStorage()
  await addBackup(storage, 10)
  for (const day of [11, 12]) await addBackup(other, day)
  expect(await keep(storage, 1)).toEqual([folderOf(10)])
  expect(await readdir(other.description)).toHaveLength(2)
})

test('incomplete backups are deleted when none of them can be in progress', async () => {
  const storage = await createStorage()
  await addBackup(storage, 10)
  for (const day of [15, 18]) await addFolder(storage, folderOf(day), { isComplete: false })
  await addFolder(storage, 'photos', { isComplete: false })
  expect(await keep(storage, 1)).toEqual([folderOf(10), folderOf(18), 'photos'])
})

test('what a process that was killed has left is deleted at once, unless a backup is in progress', async () => {
  const storage = await createStorage()
  await addBackup(storage, 10)
  await addBackup(storage, 18, { isComplete: false, isFinished: false })
  await addBackup(storage, 19, { isComplete: false, isFinished: false })
  await withBackupConnection(services.postgres, async (client) => {
    await tryBackupLock(client)
    await expect(keep(storage, 5)).rejects.toThrow('A backup of this database is in progress')
  })
  expect(await readdir(storage.description)).toHaveLength(3)
  expect(await keep(storage, 5)).toEqual([folderOf(10)])
  const { rows } = await instance.pool.query('SELECT moment FROM instance_backup')
  expect(rows).toEqual([{ moment: momentOfDay(10) }])
})

test('a complete backup whose end was not recorded does not count, and is deleted when it is old', async () => {
  const storage = await createStorage()
  for (const day of [10, 12]) await addBackup(storage, day)
  await addBackup(storage, 11, { isFinished: false })
  expect(await keep(storage, 2)).toEqual([folderOf(10), folderOf(11), folderOf(12)])
  await addBackup(storage, 13)
  expect(await keep(storage, 2)).toEqual([folderOf(12), folderOf(13)])
  expect((await instance.pool.query('SELECT FROM instance_backup')).rowCount).toBe(2)
})

test('nothing is forgotten while the volume is not mounted', async () => {
  const storage = await createStorage()
  for (const day of [10, 11]) await addBackup(storage, day)
  await rename(storage.description, `${storage.description}-away`)
  await expect(keep(storage, 1)).rejects.toThrow('does not exist')
  await rename(`${storage.description}-away`, storage.description)
  expect(await keep(storage, 1)).toEqual([folderOf(11)])
})

test('a backup that cannot be deleted is tried again the next time', async () => {
  const storage = await createStorage()
  for (const day of [10, 11]) await addBackup(storage, day)
  class WithoutDeletion extends DirectoryStorage {
    override async deleteFolder(): Promise<void> {
      throw new BackupError('not allowed')
    }
  }
  const failing = new WithoutDeletion(storage.description)
  await expect(deleteOldBackups({ services, storage: failing, log }, { keep: 1, now })).rejects.toThrow('not allowed')
  expect(await keep(storage, 1)).toEqual([folderOf(11)])
})

test('the name of a folder is the moment of its backup', () => {
  const moment = new Date('2026-11-19T02:03:04.567Z')
  expect(momentOf(folderNameOf(moment))).toEqual(moment)
  for (const name of ['2026-11-19', '2026-99-99T99-99-99.000Z']) expect(momentOf(name), name).toBeUndefined()
})
