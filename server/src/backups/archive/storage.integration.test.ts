/** What backups rely on, of each kind of storage. */
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isObjectStorageBuilt, startObjectStorage } from '../../../../testing/services/object-storage.ts'
import { BackupError, BackupFileMissing } from './backup-error.ts'
import { openStorage } from './open-storage.ts'
import { probeStorage } from './probe-storage.ts'
import type { S3Access } from './s3-storage.ts'
import type { BackupStorage } from './storage.ts'

const noAccess: S3Access = { endpoint: undefined, region: 'us-east-1', credentials: undefined }
const skipReason = 'needs an object storage, which the proof restore builds'

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'colophon-storage-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return directory
}

async function startS3(): Promise<{ bucket: string; access: S3Access }> {
  const { url, bucket, stop, ...credentials } = await startObjectStorage(await createDirectory())
  onTestFinished(stop)
  return { bucket, access: { ...noAccess, endpoint: url, credentials } }
}

const kinds: Record<string, { isAvailable: () => boolean; open: () => Promise<BackupStorage> }> = {
  'a directory': {
    isAvailable: () => true,
    open: async () => openStorage(await createDirectory(), noAccess),
  },
  'a bucket': {
    isAvailable: isObjectStorageBuilt,
    async open() {
      const { bucket, access } = await startS3()
      return openStorage(`s3://${bucket}/of/colophon/`, access)
    },
  },
}

async function* chunks(count: number, bytes: number) {
  for (let index = 0; index < count; index++) yield Buffer.alloc(bytes, index % 256)
}

async function read(storage: BackupStorage, path: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of storage.read(path)) parts.push(part)
  return Buffer.concat(parts)
}

describe.each(Object.entries(kinds))('%s', (_, { isAvailable, open }) => {
  test('keeps files in folders, and deletes a folder', async ({ skip }) => {
    skip(!isAvailable(), skipReason)
    const storage = await open()
    expect(await storage.listFolders()).toEqual([])
    await storage.write('b/manifest.json', chunks(1, 10))
    await storage.write('b/postgres/large', chunks(400, 100_000))
    await storage.write('a/empty', chunks(0, 0))
    expect(await storage.listFolders()).toEqual(['a', 'b'])
    const large = await read(storage, 'b/postgres/large')
    expect(large.length).toBe(40_000_000)
    expect(large.at(-1)).toBe(399 % 256)
    expect(await read(storage, 'a/empty')).toHaveLength(0)
    expect([await storage.hasFile('a/empty'), await storage.hasFile('a/other')]).toEqual([true, false])
    await storage.deleteFolder('b')
    expect(await storage.listFolders()).toEqual(['a'])
    await expect(read(storage, 'b/manifest.json')).rejects.toBeInstanceOf(BackupFileMissing)
  })

  test('shows that it can be written to, and keeps nothing of that', async ({ skip }) => {
    skip(!isAvailable(), skipReason)
    const storage = await open()
    await probeStorage(storage)
    expect(await storage.listFolders()).toEqual([])
  })

  test('a file whose content fails does not exist', async ({ skip }) => {
    skip(!isAvailable(), skipReason)
    const storage = await open()
    async function* failing() {
      yield* chunks(20, 1_000_000)
      throw new Error('the source failed')
    }
    await expect(storage.write('a/file', failing())).rejects.toThrow('the source failed')
    await expect(read(storage, 'a/file')).rejects.toBeInstanceOf(BackupFileMissing)
  })
})

test('a directory that does not exist is not created: its volume may not be mounted', async () => {
  const directory = await createDirectory()
  const storage = openStorage(join(directory, 'missing'), noAccess)
  for (const use of [storage.listFolders(), storage.write('a/file', chunks(1, 10)), probeStorage(storage)]) {
    await expect(use).rejects.toThrow('missing does not exist')
    await expect(use).rejects.toBeInstanceOf(BackupError)
  }
  expect(await readdir(directory)).toEqual([])
  await mkdir(join(directory, 'missing'))
  await probeStorage(storage)
})

test('says what is wrong with a bucket', async ({ skip }) => {
  skip(!isObjectStorageBuilt(), skipReason)
  const { bucket, access } = await startS3()
  const list = (name: string, changes: Partial<S3Access>) =>
    openStorage(`s3://${name}`, { ...access, ...changes }).listFolders()
  await expect(list('other-bucket', {})).rejects.toThrow('s3://other-bucket/ cannot be used: NoSuchBucket')
  const credentials = { accessKeyId: 'colophon', secretAccessKey: 'another' }
  await expect(list(bucket, { credentials })).rejects.toThrow('SignatureDoesNotMatch')
  await expect(list(bucket, { endpoint: 'http://127.0.0.1:9' })).rejects.toBeInstanceOf(BackupError)
})

test('rejects what is neither a directory nor a bucket', () => {
  for (const target of [
    'S3://bucket/x',
    'gs://bucket',
    'https://s3.example.com/bucket',
    's3:backups',
    's3://',
    's3://Bucket/x',
    's3://bucket/x?y',
  ])
    expect(() => openStorage(target, noAccess), target).toThrow(BackupError)
})
