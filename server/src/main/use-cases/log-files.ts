/** The access logs that an import was called with. */
import { type LogFileOnDisk, openLogFile } from '../../analytics/import-logs/log-file.ts'
import { UsageError } from '../usage-error.ts'

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
