/** `colophon import-logs`: sends the requests in access logs to the instance, over the API. */
import type { Client, IngestViewsData } from '@colophon/sdk'
import type { Command } from 'commander'
import {
  type DeliverChunk,
  type ImportSummary,
  importInChunks,
  type LogFile,
} from '../../../server/src/analytics/import-logs/import-in-chunks.ts'
import { openLogFile } from '../../../server/src/analytics/import-logs/log-file.ts'
import { type LogFormat, logFormats } from '../../../server/src/analytics/log-formats/log-format.ts'
import { createLogLineParser, type LoggedRequest } from '../../../server/src/analytics/log-formats/parse-log-line.ts'
import { exitCodes } from '../exit-codes.ts'
import { connect } from '../login/connection.ts'
import type { CommandContext } from '../program/command-context.ts'
import {
  addInstanceOptions,
  addJsonOption,
  choiceOption,
  type InstanceOptions,
  type JsonOption,
} from '../program/command-options.ts'
import { CommandFailure } from '../program/failure.ts'
import { printableLine } from '../terminal/printable.ts'
import { openImportRuns, type StoredRun, stateFolder, withoutEarlierRuns } from './import-runs.ts'

interface ImportOptions extends InstanceOptions, JsonOption {
  format?: LogFormat
  host?: string
}

export function addImportLogsCommand(program: Command, context: CommandContext): void {
  const importLogs = program
    .command('import-logs')
    .summary('send the page views in access logs to the instance')
    .description(
      'Sends the requests in access logs of web servers and CDNs, plain or gzip, to the instance, which counts page views. A ' +
        'file can be imported again, also after it has grown: its lines count once. Requests that are more than 13 months old are dropped. IP addresses are not sent.',
    )
    .argument('<file...>', 'access logs; - reads standard input')
    .addOption(choiceOption('--format <format>', 'format of the logs; by default it is detected', logFormats))
    .option('--host <name>', 'count only requests for this host, if the logs have those of several sites')
  addJsonOption(addInstanceOptions(importLogs)).action(async (paths: string[], options: ImportOptions) => {
    const { client, url, projectId } = await connect(context, options)
    const project = await projectId()
    const deliver = createDeliverer(client, project)
    const earlierRuns = openImportRuns(stateFolder(context.environment), `${url} ${project}`)
    const summaries: ({ file: string } & ImportSummary)[] = []
    const failures: string[] = []
    for (const path of paths) {
      const file = await openLog(path, context).catch((error: Error) => {
        failures.push(`${printableLine(path)} cannot be read: ${error.message}`)
      })
      if (!file) continue
      const runs = path === '-' ? withoutEarlierRuns : earlierRuns
      const progress = showProgress(path, context)
      const readLine = createLogLineParser(options)
      const summary = await importInChunks(file, readLine, { runs, deliver }, progress.update).finally(progress.end)
      summaries.push({ file: path, ...summary })
      if (!options.json) context.terminal.out.print(`${printableLine(path)}: ${formatSummary(summary)}`)
    }
    if (options.json) context.terminal.out.printJson(summaries)
    if (failures.length > 0) throw new CommandFailure(exitCodes.failed, failures.join('\n'))
  })
}

const openLog = async (path: string, { stdin }: CommandContext): Promise<LogFile> =>
  path === '-' ? { isBeingWritten: false, read: () => stdin } : openLogFile(path)

/** Long enough for an instance whose buffer is full while ClickHouse is down. */
const retry = { maxRetries: Number.POSITIVE_INFINITY, maxSeconds: 600 }

/** Repeated with the same ID, a chunk counts once. */
function createDeliverer(client: Client, projectId: string): DeliverChunk<StoredRun> {
  return async ({ id, requests }) => {
    const dropped: Record<string, number> = {}
    let counted = 0
    let isRepeated = true
    for (const [index, views] of splitBySize(requests.map(toView)).entries()) {
      const idempotencyKey = `log ${id} ${index}`
      const result = await client.views.ingest(projectId, { views }, { idempotencyKey, retry })
      if (result.isDuplicate) continue
      isRepeated = false
      counted += result.counted
      for (const [reason, count] of Object.entries(result.dropped)) dropped[reason] = (dropped[reason] ?? 0) + count
    }
    return { outcome: isRepeated && requests.length > 0 ? 'repeated' : 'stored', counted, dropped }
  }
}

type View = IngestViewsData['body']['views'][number]

const isHttpStatus = (status: number) => Number.isInteger(status) && status >= 100 && status <= 999

/** The instance rejects a whole request for one value that is not valid. */
const toView = ({ path, userAgent, at, method, status, accept, prefetch }: LoggedRequest): View => ({
  path: toValidText(path),
  userAgent: toValidText(userAgent),
  at: at.toISOString(),
  method: toValidText(method),
  status: isHttpStatus(status) ? status : 500, // not successful in any case
  accept: toValidText(accept),
  prefetch,
})

const toValidText = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed()

/** The instance accepts 8 MiB. A line can become longer in JSON, because quotes are escaped. */
const maxBodyBytes = 6 * 1024 * 1024

function splitBySize(views: readonly View[]): View[][] {
  const batches: View[][] = []
  let batch: View[] = []
  let sizeBytes = 0
  for (const view of views) {
    const viewBytes = Buffer.byteLength(JSON.stringify(view))
    if (batch.length > 0 && sizeBytes + viewBytes > maxBodyBytes) {
      batches.push(batch)
      batch = []
      sizeBytes = 0
    }
    batch.push(view)
    sizeBytes += viewBytes
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

const progressIntervalMs = { terminal: 200, other: 15_000 }
const clearLine = '\r\u001b[2K'

function showProgress(path: string, { terminal: { err } }: CommandContext) {
  const intervalMs = err.isTerminal ? progressIntervalMs.terminal : progressIntervalMs.other
  let shownAtMs = Date.now()
  return {
    update: ({ lines, counted }: ImportSummary) => {
      if (Date.now() - shownAtMs < intervalMs) return
      shownAtMs = Date.now()
      const text = `${printableLine(path)}: ${formatCount(lines)} lines, ${formatCount(counted)} views`
      if (err.isTerminal) err.draw(clearLine + text)
      else err.print(text)
    },
    end: () => {
      if (err.isTerminal) err.draw(clearLine)
    },
  }
}

function formatSummary(summary: ImportSummary): string {
  const { lines, counted, dropped, unreadableLines, ignoredLines, alreadyImportedLines } = summary
  const reasons = Object.entries(dropped).sort(([, a], [, b]) => b - a)
  const total = reasons.reduce((sum, [, count]) => sum + count, 0)
  const list = reasons.map(([reason, count]) => `${printableLine(reason)} ${formatCount(count)}`).join(', ')
  const texts = [`${formatCount(lines)} lines`]
  if (alreadyImportedLines > 0) texts.push(`${formatCount(alreadyImportedLines)} already imported`)
  texts.push(`${formatCount(counted)} views counted`)
  texts.push(`${formatCount(total)} dropped${list === '' ? '' : ` (${list})`}`)
  if (ignoredLines > 0) texts.push(`${formatCount(ignoredLines)} ignored`)
  texts.push(`${formatCount(unreadableLines)} unreadable`)
  return texts.join('; ')
}

const formatCount = (count: number) => count.toLocaleString('en-US')
