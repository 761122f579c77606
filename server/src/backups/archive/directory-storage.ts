/** Backups in a directory, for example of a mounted volume. Only the user of the process can read them. */
import { constants } from 'node:fs'
import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BackupError, BackupFileMissing } from './backup-error.ts'
import type { BackupStorage } from './storage.ts'

export class DirectoryStorage implements BackupStorage {
  readonly description: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.description = root
  }

  async listFolders(): Promise<string[]> {
    const entries = await readdir(this.#root, { withFileTypes: true }).catch(this.#failIfMissing)
    return entries.flatMap((entry) => (entry.isDirectory() ? entry.name : [])).sort()
  }

  async write(path: string, content: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<void> {
    const target = join(this.#root, path)
    const partial = `${target}.partial`
    await stat(this.#root).catch(this.#failIfMissing)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    try {
      const file = await open(partial, 'w', 0o600)
      try {
        for await (const chunk of content) {
          signal?.throwIfAborted()
          await file.writeFile(chunk)
        }
        await file.sync()
      } finally {
        await file.close()
      }
      signal?.throwIfAborted()
      await rename(partial, target)
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {}) // the first error says more
      throw error
    }
    await syncDirectory(dirname(target))
  }

  async hasFile(path: string): Promise<boolean> {
    const file = await lstat(join(this.#root, path)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    return file !== undefined
  }

  async *read(path: string): AsyncGenerator<Uint8Array> {
    try {
      // Others may be able to write to the directory: a link could point to a device, and a named pipe would block.
      const file = await open(join(this.#root, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
      yield* file.createReadStream({ highWaterMark: 256 * 1024 })
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new BackupFileMissing(path) : error
    }
  }

  async deleteFolder(name: string): Promise<void> {
    // First the manifest, so that a folder that is deleted only in part is not a backup any longer.
    await rm(join(this.#root, name, 'manifest.json'), { force: true })
    await rm(join(this.#root, name), { recursive: true, force: true })
  }

  /** It is never created: a volume that is not mounted would be replaced by a folder on the disk of the system. */
  readonly #failIfMissing = (error: NodeJS.ErrnoException): never => {
    if (error.code !== 'ENOENT') throw error
    throw new BackupError(`${this.#root} does not exist. Create it, or mount the volume that has it.`)
  }
}

/** Without it, a file that was renamed may be gone after a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
