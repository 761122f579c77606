/** Access logs on disk, packed or not. */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { LogFile } from '../analytics/import-logs/import-log.ts'
import { UsageError } from './usage-error.ts'

export interface LogFileOnDisk extends LogFile {
  sizeBytes: number
  /** Of the file as it lies there, in the latest reading. */
  readBytes(): number
}

const gzipMagic = Buffer.from([0x1f, 0x8b])
const restedForMs = 60_000

export interface OpenedLogs {
  files: { path: string; file: LogFileOnDisk }[]
  /** Why the others are none, a sentence each. */
  unreadable: string[]
}

/** Those that can be read, in their order: of a log and the one before it only one is there until the first rotation. */
export async function openLogFiles(paths: readonly string[]): Promise<OpenedLogs> {
  const opened: OpenedLogs = { files: [], unreadable: [] }
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
  const { size, mtimeMs, isPacked } = await look(path)
  let readBytes = 0
  return {
    sizeBytes: size,
    isBeingWritten: !isPacked && Date.now() - mtimeMs < restedForMs,
    readBytes: () => readBytes,
    read() {
      readBytes = 0
      const file = createReadStream(path, { highWaterMark: 256 * 1024 })
      file.on('data', (chunk) => {
        readBytes += chunk.length
      })
      if (!isPacked) return file as AsyncIterable<Buffer>
      const unpacked = createGunzip({ chunkSize: 256 * 1024 })
      file.on('error', (error) => unpacked.destroy(error))
      return file.pipe(unpacked) as AsyncIterable<Buffer>
    },
  }
}

async function look(path: string): Promise<{ size: number; mtimeMs: number; isPacked: boolean }> {
  const stats = await stat(path)
  if (!stats.isFile()) throw new Error('it is no file')
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return { size: stats.size, mtimeMs: stats.mtimeMs, isPacked: bytesRead === 2 && buffer.equals(gzipMagic) }
  } finally {
    await file.close()
  }
}
