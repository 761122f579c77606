/**
 * An access log on disk, plain or compressed with gzip. Shared by `colophon-server import-logs` and the `colophon` command, like
 * import-in-chunks.ts.
 */
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'
import type { LogFile } from './import-in-chunks.ts'

export interface LogFileOnDisk extends LogFile {
  sizeBytes: number
  /** Bytes read from the file, before decompression, since the last call of `read`. */
  readBytes(): number
}

const gzipMagic = Buffer.from([0x1f, 0x8b])
const unchangedForMs = 60_000

/** Throws if it cannot be read. */
export async function openLogFile(path: string): Promise<LogFileOnDisk> {
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
