/**
 * Imports one log file into the buffer. The import may be killed at any moment and run again, on the same file or on one that
 * has grown since: every line counts once. For that, it works in chunks. The next chunk is recorded before it is delivered, and
 * a chunk is identified by a hash of the file up to its end, so that a renamed or copied file is still the same file.
 */
import { createHash } from 'node:crypto'
import type { ClientDetector } from '../classify/client-detector.ts'
import { classifyRequests, type DropCounts } from '../collect/classify-requests.ts'
import type { SourceActivityRecorder } from '../collect/source-activity-recorder.ts'
import type { PostgresViewBuffer } from '../collect/view-buffer.ts'
import type { AnalyticsSite } from '../settings/analytics-settings-store.ts'
import type { ImportRun, ImportStore } from './import-store.ts'
import type { LoggedRequest, ParseLogLine } from './parse-log-line.ts'
import { LineSplitter, type LogLine } from './split-lines.ts'

export interface LogFile {
  /** Decompressed and from the beginning, each time it is called. */
  read(): AsyncIterable<Buffer>
  /** The last line may be incomplete. */
  isBeingWritten: boolean
}

export interface ImportDeps {
  runs: ImportStore
  append: PostgresViewBuffer['append']
  recordOutcome: SourceActivityRecorder['record']
  site: AnalyticsSite
  clientDetector: ClientDetector
}

export interface ImportSummary {
  lines: number
  counted: number
  dropped: DropCounts
  /** Lines that are not a request. */
  unreadableLines: number
  /** Lines that an earlier import has counted. */
  alreadyImportedLines: number
}

const maxLinesPerChunk = 5_000
const maxBytesPerChunk = 4 * 1024 * 1024

/** Calls `onProgress` after every chunk. */
export async function importLog(
  file: LogFile,
  readLine: ParseLogLine,
  { runs, append, recordOutcome, site, clientDetector }: ImportDeps,
  onProgress: (imported: ImportSummary) => void = () => {},
): Promise<ImportSummary> {
  const run = (await findRun(file, await runs.list())) ?? runs.newRun()
  const startedAt = new Date()
  const imported: ImportSummary = { lines: 0, counted: 0, dropped: {}, unreadableLines: 0, alreadyImportedLines: 0 }
  const interruptedAt = run.plannedBytes
  const hash = createHash('sha256')
  let position = 0
  let chunk = new LogChunk()

  const deliver = async () => {
    if (chunk.lines === 0) return
    const chunkStart = position - chunk.bytes
    run.fingerprint = hash.copy().digest()
    run.confirmedBytes = chunkStart
    run.plannedBytes = position
    await runs.plan(run)
    const rule = { site, clientDetector, source: 'servers', importId: run.id } as const
    const { views, dropped, examples } = classifyRequests(chunk.requests, rule)
    const outcome = await append({
      projectId: site.projectId,
      source: 'servers',
      countsHumans: site.settings.humanSource === 'servers',
      deliveryId: { text: `import ${chunkStart} ${run.fingerprint.toString('hex')}`, retention: 'forever' },
      views,
    })
    run.views += views.length
    imported.lines += chunk.lines
    if (outcome === 'repeated') imported.alreadyImportedLines += chunk.lines
    else {
      recordOutcome({ projectId: site.projectId, source: 'logs', counted: views.length, dropped, examples })
      imported.counted += views.length
      imported.unreadableLines += chunk.unreadable
      for (const [reason, count] of Object.entries(dropped) as [keyof DropCounts, number][])
        imported.dropped[reason] = (imported.dropped[reason] ?? 0) + count
    }
    chunk = new LogChunk()
    onProgress(imported)
  }

  for await (const line of readLines(file)) {
    hash.update(line.bytes)
    position += line.bytes.length
    if (position <= run.confirmedBytes) {
      imported.lines += Number(line.isLineStart)
      imported.alreadyImportedLines += Number(line.isLineStart)
      continue
    }
    chunk.add(line, (text) => clampToNow(readLine(text), startedAt))
    // A chunk also ends where an earlier run was interrupted: only the same chunk has the same ID.
    const isFull = chunk.lines >= maxLinesPerChunk || chunk.bytes >= maxBytesPerChunk
    if (position === interruptedAt || (isFull && position > interruptedAt)) await deliver()
  }
  await deliver()
  run.confirmedBytes = run.plannedBytes
  await runs.finish(run)
  return imported
}

/** Finds the earlier run that has imported the most of this file: its fingerprint matches the beginning of the file. */
async function findRun(file: LogFile, earlierRuns: readonly ImportRun[]): Promise<ImportRun | undefined> {
  const byLength = [...Map.groupBy(earlierRuns, ({ plannedBytes }) => plannedBytes)].sort(([a], [b]) => a - b)
  const hash = createHash('sha256')
  let found: ImportRun | undefined
  let position = 0
  if (byLength.length === 0) return undefined
  for await (const bytes of file.read()) {
    let hashed = 0
    for (let next = byLength[0]; next && next[0] <= position + bytes.length; next = byLength[0]) {
      const [length, runs] = next
      hash.update(bytes.subarray(hashed, length - position))
      hashed = length - position
      const fingerprint = hash.copy().digest()
      found = runs.find((run) => run.fingerprint.equals(fingerprint)) ?? found
      byLength.shift()
    }
    if (byLength.length === 0) break
    hash.update(bytes.subarray(hashed))
    position += bytes.length
  }
  return found
}

async function* readLines({ read, isBeingWritten }: LogFile) {
  const splitter = new LineSplitter()
  for await (const bytes of read()) yield* splitter.push(bytes)
  if (!isBeingWritten) yield* splitter.end()
}

class LogChunk {
  readonly requests: LoggedRequest[] = []
  lines = 0
  bytes = 0
  unreadable = 0

  add({ text, bytes, isLineStart }: LogLine, read: (text: string) => LoggedRequest | undefined): void {
    this.bytes += bytes.length
    this.lines += Number(isLineStart)
    const request = text === undefined ? undefined : read(text)
    if (request) this.requests.push(request)
    else if (isLineStart) this.unreadable++
  }
}

const clampToNow = (request: LoggedRequest | undefined, now: Date) =>
  request && request.at > now ? { ...request, at: now } : request
