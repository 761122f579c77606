/** Shows the progress of an import on standard error: a progress bar on a terminal, otherwise a line every 15 seconds. */
import type { ImportSummary } from '../../analytics/import-logs/import-in-chunks.ts'
import type { LogFileOnDisk } from '../../analytics/import-logs/log-file.ts'

const barCharacters = 30
const terminalIntervalMs = 100
const lineIntervalMs = 15_000

export function createImportProgressPrinter(path: string, file: LogFileOnDisk) {
  const out = process.stderr
  let shownAt = out.isTTY ? 0 : performance.now()
  return {
    update({ lines, counted }: ImportSummary): void {
      const now = performance.now()
      if (now - shownAt < (out.isTTY ? terminalIntervalMs : lineIntervalMs)) return
      shownAt = now
      const share = file.sizeBytes === 0 ? 1 : Math.min(1, file.readBytes() / file.sizeBytes)
      const filledCharacters = Math.floor(share * barCharacters)
      const bar = out.isTTY ? `[${'#'.repeat(filledCharacters)}${'-'.repeat(barCharacters - filledCharacters)}] ` : ''
      const text = `${path}: ${bar}${Math.floor(share * 100)}%, ${lines.toLocaleString('en')} lines, ${counted.toLocaleString('en')} views`
      out.write(out.isTTY ? `\r\x1b[K${text}` : `${text}\n`)
    },
    end(summary: string): void {
      out.write(`${out.isTTY ? '\r\x1b[K' : ''}${path}: ${summary}\n`)
    },
  }
}
