/** A storage whose calls do not return, like those of a directory on a file server that is down. */
import { expect, test } from 'vitest'
import { BackupError } from './backup-error.ts'
import { ResponsiveStorage } from './responsive-storage.ts'
import type { BackupStorage } from './storage.ts'

const never = () => new Promise<never>(() => {})

const createStorage = (calls: Partial<BackupStorage>, maxSilenceMs = 50) =>
  new ResponsiveStorage(
    {
      description: '/backups',
      listFolders: never,
      hasFile: never,
      read: never,
      deleteFolder: never,
      write: never,
      ...calls,
    } as BackupStorage,
    { maxSilenceMs },
  )

async function* chunks(count: number, everyMs = 0) {
  for (let sent = 0; sent < count; sent++) {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    yield Buffer.alloc(10)
  }
}

test.each<[string, (storage: BackupStorage) => Promise<unknown>]>([
  ['lists folders', (storage) => storage.listFolders()],
  ['looks for a file', (storage) => storage.hasFile('a/file')],
  ['deletes a folder', (storage) => storage.deleteFolder('a')],
  ['writes a file', (storage) => storage.write('a/file', chunks(1))],
])('a call that does not return fails: %s', async (_, call) => {
  const failed = call(createStorage({}))
  await expect(failed).rejects.toThrow('/backups cannot be used: it did not respond for 0.05 seconds')
  await expect(failed).rejects.toBeInstanceOf(BackupError)
})

test('a write that is aborted ends, although the storage does not respond', async () => {
  const stop = new AbortController()
  const written = createStorage({}, 60_000).write('a/file', chunks(1), stop.signal)
  stop.abort(new Error('the process stops'))
  await expect(written).rejects.toThrow('the process stops')
})

test('content may take longer than the storage', async () => {
  let received = 0
  const storage = createStorage({
    async write(_, content) {
      for await (const _ of content) received += 1
    },
  })
  await storage.write('a/file', chunks(3, 100))
  expect(received).toBe(3)
})

test('a write that goes on after all does not take what it got for the whole file', async () => {
  const resumed = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  let isClosed = false
  async function* content() {
    try {
      yield* chunks(2)
    } finally {
      isClosed = true
    }
  }
  const storage = createStorage({
    async write(_, received) {
      try {
        for await (const _ of received) await resumed.promise
        ended.resolve('complete')
      } catch (error) {
        ended.resolve(String(error))
      }
    },
  })
  await expect(storage.write('a/file', content())).rejects.toThrow('did not respond')
  resumed.resolve()
  expect(await ended.promise).toContain('did not respond')
  expect(isClosed).toBe(true)
})
