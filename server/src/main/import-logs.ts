/** `colophon-server import-logs`: views of the past, out of access logs, straight into the buffer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Pool, PoolClient } from 'pg'
import { loadClientDetector } from '../analytics/classify/client-detector.ts'
import type { Dropped } from '../analytics/collect/sift-requests.ts'
import { SourceNotes } from '../analytics/collect/source-notes.ts'
import { ViewBuffer } from '../analytics/collect/view-buffer.ts'
import { type ImportDeps, type Imported, importLog } from '../analytics/import-logs/import-log.ts'
import { ImportStore } from '../analytics/import-logs/import-store.ts'
import { type LogFormat, logFormats, logLineReader } from '../analytics/import-logs/log-line.ts'
import type { AnalyticsTables } from '../analytics/tables.ts'
import { loadImportConfig } from '../platform/config.ts'
import { Problem } from '../platform/http/problem.ts'
import { type Id, isId } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { createDatabase, createPool } from '../platform/postgres.ts'
import { createImportProgress } from './import-progress.ts'
import { type LogFileOnDisk, openLogFiles } from './log-files.ts'
import { openStores } from './open-stores.ts'
import { UsageError } from './usage-error.ts'

const usage = `colophon-server import-logs --project ID [--format nginx|apache|caddy] FILE...

Counts the views in access logs, packed with gzip or not. A file may come again, also when it has grown or an import
was interrupted: every line counts once. Without --format each line shows by itself which it is. A file that cannot be
read is named and passed over.`

export async function importLogs(args: readonly string[]): Promise<void> {
  const { projectId, format, paths } = readArguments(args)
  const { files, unreadable } = await openLogFiles(paths)
  for (const why of unreadable) process.stderr.write(`${why}\n`)
  const config = loadImportConfig()
  const log = createLog('import-logs', config.log)
  const pool = createPool(config.postgres, log)
  try {
    const { projects, analyticsSettings } = openStores(pool)
    await projects.get(projectId)
    const db = createDatabase<AnalyticsTables>(pool)
    const buffer = new ViewBuffer(db, config.views)
    const notes = new SourceNotes(db, log)
    const deps: ImportDeps = {
      runs: new ImportStore(db, projectId),
      append: (delivery) => patiently(() => buffer.append(delivery)),
      note: (note) => notes.note(note),
      site: await analyticsSettings.read(projectId),
      clientDetector: loadClientDetector(),
    }
    await aloneInProject(pool, projectId, async () => {
      for (const { path, file } of files) await importFile(path, file, format, deps)
    }).finally(() => notes.settle())
  } finally {
    await pool.end()
  }
}

async function importFile(path: string, file: LogFileOnDisk, format: LogFormat | undefined, deps: ImportDeps) {
  const progress = createImportProgress(path, file)
  try {
    const imported = await importLog(file, logLineReader(format), deps, progress.update)
    progress.end(summaryOf(imported, deps))
  } catch (error) {
    progress.end('interrupted; what was counted stays so. Import it again to go on from there.')
    throw isBrokenArchive(error) ? new Problem('invalid_request', `${path} is a broken gzip file.`) : error
  }
}

const isBrokenArchive = (error: unknown) => /^Z_|^ERR_ZLIB/.test(String((error as { code?: unknown }).code))

function summaryOf({ lines, counted, dropped, unreadable, linesBefore }: Imported, { site }: ImportDeps): string {
  const reasons = Object.entries(dropped) as [keyof Dropped, number][]
  const named = reasons.toSorted(([, a], [, b]) => b - a).map(([reason, count]) => `${reason} ${number(count)}`)
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  const leftToScript = dropped.counted_elsewhere !== undefined && site.settings.humanSource === 'script'
  return [
    `${number(lines)} lines`,
    ...(linesBefore > 0 ? [`${number(linesBefore)} of them imported before`] : []),
    `${number(counted)} views counted`,
    `${number(total)} dropped${named.length > 0 ? ` (${named.join(', ')})` : ''}`,
    `${number(unreadable)} unreadable`,
    ...(leftToScript ? ['people are counted by the script in this project, so not from logs'] : []),
  ].join('; ')
}

const number = (count: number) => count.toLocaleString('en')

const retryEveryMs = 5_000

/** A full buffer empties: the worker is at it. */
async function patiently<Result>(act: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unavailable') throw error
      await sleep(retryEveryMs)
    }
  }
}

/** Two imports of one project at once could each take a file for new. */
async function aloneInProject(pool: Pool, projectId: Id<'prj'>, work: () => Promise<void>): Promise<void> {
  const client: PoolClient = await pool.connect()
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      `SELECT pg_try_advisory_lock(hashtext('import_run'), hashtext($1)) AS taken`,
      [projectId],
    )
    if (!rows[0]?.taken) throw new Problem('unavailable', 'Another import for this project is under way.')
    await work()
  } finally {
    client.release(true) // closed, not given back: the lock goes with it
  }
}

function readArguments(args: readonly string[]): {
  projectId: Id<'prj'>
  format: LogFormat | undefined
  paths: string[]
} {
  const { values, positionals } = parse(args)
  const { project = '', format } = values
  if (!isId('prj', project)) throw wrong(project === '' ? '--project is missing.' : `${project} is not a project's id.`)
  const known = logFormats.find((name) => name === format)
  if (format !== undefined && !known) throw wrong(`--format has to be one of ${logFormats.join(', ')}.`)
  if (positionals.length === 0) throw wrong('Name at least one file.')
  return { projectId: project, format: known, paths: positionals }
}

function parse(args: readonly string[]) {
  const options = { project: { type: 'string' }, format: { type: 'string' } } as const
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw wrong((error as Error).message)
  }
}

const wrong = (message: string) => new UsageError(`${message}\n\n${usage}`)
