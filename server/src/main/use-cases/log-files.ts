/** Access logs on disk, plain or compressed with gzip. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { LogFile } from '../../analytics/import-logs/import-log.ts'
import { UsageError } from '../usage-error.ts'

export interface LogFileOnDisk extends LogFile {
  sizeBytes: number
  /** Bytes read from the file, before decompression, since the last call of `read`. */
  readBytes(): number
}

const gzipMagic = Buffer.from([0x1f, 0x8b])
const unchangedForMs = 60_000

export interface OpenedLogFiles {
  files: { path: string; file: LogFileOnDisk }[]
  /** A message for each file that cannot be read. */
  unreadable: string[]
}

/**
 * Opens the files that can be read, in the given order. The others are reported, not fatal: until the first rotation, only the
 * current one of `access.log` and `access.log.1` exists.
 */
export async function openLogFiles(paths: readonly string[]): Promise<OpenedLogFiles> {
  const opened: OpenedLogFiles = { files: [], unreadable: [] }
  for (const path of paths) {
    try {
      opened.files.push({ path, file: await openLogFile(path) })
    } catch (error) {
      opened.unreadable.push(`${path} cannot be read: ${(error as Error).message}`)
    }
  }
  if (opened.files.length === 0) throw new UsageError(opened.unreadable.join('\n'))
  return opened
}

async function openLogFile(path: string): Promise<LogFileOnDisk> {
  const { size, mtimeMs, isCompressed } = await inspect(path)
  let readBytes = 0
  return {
    sizeBytes: size,
    isBeingWritten: !isCompressed && Date.now() - mtimeMs < unchangedForMs,
    readBytes: () => readBytes,
    read() {
      readBytes = 0
      const file = createReadStream(path, { highWaterMark: 256 * 1024 })
      file.on('data', (chunk) => {
        readBytes += chunk.length
      })
      if (!isCompressed) return file as AsyncIterable<Buffer>
      const decompressed = createGunzip({ chunkSize: 256 * 1024 })
      file.on('error', (error) => decompressed.destroy(error))
      return file.pipe(decompressed) as AsyncIterable<Buffer>
    },
  }
}

async function inspect(path: string): Promise<{ size: number; mtimeMs: number; isCompressed: boolean }> {
  const stats = await stat(path)
  if (!stats.isFile()) throw new Error('not a regular file')
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return { size: stats.size, mtimeMs: stats.mtimeMs, isCompressed: bytesRead === 2 && buffer.equals(gzipMagic) }
  } finally {
    await file.close()
  }
}
