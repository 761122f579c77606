/** The machine or container that the command runs on, without its name and addresses. */
import { readFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { availableParallelism, freemem, loadavg, release, tmpdir, totalmem, uptime } from 'node:os'
import { version } from '../../platform/version.ts'
import { type Report, readOrExplain } from './report.ts'

export async function reportMachine(): Promise<Report> {
  return {
    colophon: version,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    kernel: /^[\d.]+/.exec(release())?.[0],
    cpus: availableParallelism(),
    loadAverages: loadavg(),
    memoryBytes: { total: totalmem(), free: freemem(), available: process.availableMemory() },
    uptimeSeconds: Math.round(uptime()),
    maxOpenFiles: maxOpenFiles(),
    temporaryDirectory: await readOrExplain(async () => {
      const { bsize, bavail, blocks } = await statfs(tmpdir())
      return { freeBytes: bsize * bavail, totalBytes: bsize * blocks }
    }),
  }
}

/** Undefined: not Linux. */
function maxOpenFiles(): number | undefined {
  try {
    return Number(/^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
