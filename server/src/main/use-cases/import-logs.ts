/** `colophon-server import-logs`: reads past page views from access logs into the view buffer. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { loadClientDetector } from '../../analytics/classify/client-detector.ts'
import type { DropCounts } from '../../analytics/collect/classify-requests.ts'
import { SourceActivityRecorder } from '../../analytics/collect/source-activity-recorder.ts'
import { PostgresViewBuffer } from '../../analytics/collect/view-buffer.ts'
import type { ImportSummary } from '../../analytics/import-logs/import-in-chunks.ts'
import { type ImportDeps, importLog } from '../../analytics/import-logs/import-log.ts'
import { ImportStore } from '../../analytics/import-logs/import-store.ts'
import type { LogFileOnDisk } from '../../analytics/import-logs/log-file.ts'
import { logFormats } from '../../analytics/log-formats/log-format.ts'
import { createLogLineParser, type LogLineOptions } from '../../analytics/log-formats/parse-log-line.ts'
import { createDatabase } from '../../database/database.ts'
import { loadLogImportConfig } from '../../platform/config.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { createPostgresPool } from '../../platform/postgres.ts'
import { createChoiceParser, parseProjectId } from '../admin/option-parsers.ts'
import { openStores } from '../processes/open-stores.ts'
import { createImportProgressPrinter } from './import-progress.ts'
import { openLogFiles } from './log-files.ts'

export async function importLogs(
  options: { readonly project: string; readonly format: string | undefined; readonly host: string | undefined },
  paths: readonly string[],
): Promise<void> {
  const projectId = parseProjectId(options.project, 'project')
  const format = options.format === undefined ? undefined : createChoiceParser(logFormats)(options.format, 'format')
  const lineOptions = { format, host: options.host }
  const { files, unreadable } = await openLogFiles(paths)
  for (const message of unreadable) process.stderr.write(`${message}\n`)
  const config = loadLogImportConfig()
  const log = createLog('import-logs', config.log)
  const pool = createPostgresPool(config.postgres, log)
  try {
    const database = createDatabase(pool)
    const { projects, analyticsSettings } = openStores(database)
    await projects.get(projectId)
    const buffer = new PostgresViewBuffer({ pool, database }, config.views)
    const notes = new SourceActivityRecorder(database, log)
    const deps: ImportDeps = {
      runs: new ImportStore(database, projectId),
      append: (delivery) => retryWhileUnavailable(() => buffer.append(delivery)),
      recordOutcome: (note) => notes.record(note),
      site: await analyticsSettings.read(projectId),
      clientDetector: loadClientDetector(),
    }
    await withImportLock(pool, projectId, async () => {
      for (const { path, file } of files) await importFile(path, file, lineOptions, deps)
    }).finally(() => notes.flush())
  } finally {
    await pool.end()
  }
}

async function importFile(path: string, file: LogFileOnDisk, options: LogLineOptions, deps: ImportDeps) {
  const progress = createImportProgressPrinter(path, file)
  try {
    const imported = await importLog(file, createLogLineParser(options), deps, progress.update)
    progress.end(formatSummary(imported, deps))
  } catch (error) {
    progress.end('interrupted. Views counted so far are kept; import the file again to continue.')
    throw isBrokenArchive(error) ? new Problem('invalid_request', `${path} is not a valid gzip file.`) : error
  }
}

const isBrokenArchive = (error: unknown) => /^Z_|^ERR_ZLIB/.test(String((error as { code?: unknown }).code))

function formatSummary(
  { lines, counted, dropped, unreadableLines, ignoredLines, alreadyImportedLines }: ImportSummary,
  { site }: ImportDeps,
): string {
  const reasons = Object.entries(dropped) as [keyof DropCounts, number][]
  const reasonCounts = reasons
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, count]) => `${reason} ${formatCount(count)}`)
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  const humansCountedByScript = dropped.counted_elsewhere !== undefined && site.settings.humanSource === 'script'
  return [
    `${formatCount(lines)} lines`,
    ...(alreadyImportedLines > 0 ? [`${formatCount(alreadyImportedLines)} already imported`] : []),
    `${formatCount(counted)} views counted`,
    `${formatCount(total)} dropped${reasonCounts.length > 0 ? ` (${reasonCounts.join(', ')})` : ''}`,
    ...(ignoredLines > 0 ? [`${formatCount(ignoredLines)} ignored`] : []),
    `${formatCount(unreadableLines)} unreadable`,
    ...(humansCountedByScript
      ? ['human views are not counted from logs, because this project counts them with the script']
      : []),
  ].join('; ')
}

const formatCount = (count: number) => count.toLocaleString('en')

const retryDelayMs = 5_000

/** Retries while the buffer is full, because the worker empties it. */
async function retryWhileUnavailable<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error
      await sleep(retryDelayMs)
    }
  }
}

/** Two concurrent imports for one project could each treat a file as new. */
async function withImportLock(pool: Pool, projectId: Id<'prj'>, work: () => Promise<void>): Promise<void> {
  const client: PoolClient = await pool.connect()
  try {
    const { rows } = await client.query<{ acquired: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('import_run'), hashtext($1)) AS acquired`,
      [projectId],
    )
    if (!rows[0]?.acquired)
      throw new Problem(
        'unavailable',
        'Another import for this project is in progress. Try again when it has finished.',
      )
    await work()
  } finally {
    client.release(true) // closes the connection, which releases the lock
  }
}
