/**
 * A file system with little space, for the data directory of one service. It is a tmpfs, on which PostgreSQL and ClickHouse run,
 * and which reports ENOSPC like a disk. A loop device would do the same, but must be formatted.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLeftover, isRoot, ownFaultName, removeAtExit } from './fault-owner.ts'

const kind = 'small-disk'
const mountName = 'disk'

export interface SmallDisk {
  /** Give a service a subdirectory: its log is then beside the disk. */
  directory: string
  /** Takes all remaining bytes. If the service frees some later, call it again. */
  fill(): Promise<void>
  /** Returns what `fill` took. */
  free(): Promise<void>
  /** Stop the services on the disk first. */
  stop(): Promise<void>
}

/** Needs root, and a machine or container that may mount file systems. */
export async function canMountSmallDisk(): Promise<boolean> {
  if (process.platform !== 'linux' || !isRoot()) return false
  try {
    const disk = await mountSmallDisk({ sizeBytes: 1024 * 1024 })
    await disk.stop()
    return true
  } catch {
    return false
  }
}

export async function mountSmallDisk({ sizeBytes }: { sizeBytes: number }): Promise<SmallDisk> {
  removeLeftovers()
  const parent = mkdtempSync(join(tmpdir(), `${ownFaultName(kind)}-`))
  chmodSync(parent, 0o755) // PostgreSQL runs as another user
  const directory = join(parent, mountName)
  mkdirSync(directory)
  const remove = removeAtExit(() => unmount(parent))
  try {
    run('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes},mode=755`, 'tmpfs', directory])
  } catch (error) {
    remove()
    throw error
  }
  const filler = join(directory, 'filler')
  return {
    directory,
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (const chunkBytes of [1024 * 1024, 4096]) await appendUntilFull(file, Buffer.alloc(chunkBytes))
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler, { force: true }),
    stop: async () => remove(),
  }
}

async function appendUntilFull(file: FileHandle, chunk: Buffer): Promise<void> {
  try {
    for (;;) await file.write(chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function removeLeftovers(): void {
  for (const name of readdirSync(tmpdir())) if (isLeftover(kind, name)) unmount(join(tmpdir(), name))
}

/** Lazily: a process that still has open files keeps the file system until it ends. */
function unmount(parent: string): void {
  try {
    run('umount', ['--lazy', join(parent, mountName)])
  } catch {
    // it was not mounted
  }
  rmSync(parent, { recursive: true, force: true })
}

/** Synchronous, because the disk is also unmounted while the process exits. */
const run = (command: string, args: readonly string[]) => execFileSync(command, args, { stdio: 'pipe' })
