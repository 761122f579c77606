/** Where an import is. On a terminal a bar that renews itself; elsewhere a line now and then. */
import type { Imported } from '../analytics/import-logs/import-log.ts'
import type { LogFileOnDisk } from './log-files.ts'

const barCharacters = 30
const onTerminalEveryMs = 100
const elsewhereEveryMs = 15_000

export function createImportProgress(path: string, file: LogFileOnDisk) {
  const out = process.stderr
  let shownAt = out.isTTY ? 0 : performance.now()
  return {
    update({ lines, counted }: Imported): void {
      const now = performance.now()
      if (now - shownAt < (out.isTTY ? onTerminalEveryMs : elsewhereEveryMs)) return
      shownAt = now
      const share = file.sizeBytes === 0 ? 1 : Math.min(1, file.readBytes() / file.sizeBytes)
      const done = Math.floor(share * barCharacters)
      const bar = out.isTTY ? `[${'#'.repeat(done)}${'-'.repeat(barCharacters - done)}] ` : ''
      const text = `${path}: ${bar}${Math.floor(share * 100)} %, ${lines.toLocaleString('en')} lines, ${counted.toLocaleString('en')} views`
      out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
    },
    end(summary: string): void {
      out.write(`${out.isTTY ? '\r\x1b[K' : ''}${path}: ${summary}\n`)
    },
  }
}
