/**
 * Imports one log file in chunks. The import may be killed at any moment and run again, on the same file or on one that has grown
 * since: every line counts once. For that, the next chunk is recorded before it is delivered, and a chunk is identified by a hash
 * of the file up to its end, so that a renamed or copied file is still the same file.
 *
 * Shared by `colophon-server import-logs` and the `colophon` command: it imports nothing of the server, and runs on Node 20.
 */
import { createHash } from 'node:crypto'
import type { LoggedRequest, ParsedLine, ParseLogLine } from '../log-formats/parse-log-line.ts'
import { LineSplitter, type LogLine } from './split-lines.ts'

export interface LogFile {
  /** Decompressed and from the beginning, each time it is called. */
  read(): AsyncIterable<Buffer>
  /** The last line may be incomplete. */
  isBeingWritten: boolean
}

/** How far an import got. */
export interface ImportPosition {
  /** Hash of the first `plannedBytes` of the file. */
  fingerprint: Buffer
  confirmedBytes: number
  plannedBytes: number
}

/** Earlier imports into the same project. */
export interface ImportRuns<Run extends ImportPosition> {
  list(): Promise<Run[]>
  newRun(): Run
  /** Called before the views are delivered: after a crash, this shows which delivery may have been stored. */
  plan(run: Run): Promise<void>
  finish(run: Run): Promise<void>
}

export interface DeliveredChunk {
  outcome: 'stored' | 'repeated'
  counted: number
  dropped: Readonly<Record<string, number>>
}

/** `id`: the same for the same part of the same file. */
export type DeliverChunk<Run> = (chunk: { id: string; requests: LoggedRequest[]; run: Run }) => Promise<DeliveredChunk>

export interface ImportSummary {
  lines: number
  counted: number
  dropped: Record<string, number>
  /** Lines that are in no known format. */
  unreadableLines: number
  /** Headers, requests that no visitor has sent, and requests for other hosts. */
  ignoredLines: number
  /** Lines that an earlier import has counted. */
  alreadyImportedLines: number
}

const maxLinesPerChunk = 5_000
const maxBytesPerChunk = 4 * 1024 * 1024

/** Calls `onProgress` after every chunk. */
export async function importInChunks<Run extends ImportPosition>(
  file: LogFile,
  readLine: ParseLogLine,
  { runs, deliver }: { runs: ImportRuns<Run>; deliver: DeliverChunk<Run> },
  onProgress: (imported: ImportSummary) => void = () => {},
): Promise<ImportSummary> {
  const run = (await findRun(file, await runs.list())) ?? runs.newRun()
  const startedAt = new Date()
  const imported: ImportSummary = {
    lines: 0,
    counted: 0,
    dropped: {},
    unreadableLines: 0,
    ignoredLines: 0,
    alreadyImportedLines: 0,
  }
  const interruptedAt = run.plannedBytes
  let isRecorded = interruptedAt > 0
  const hash = createHash('sha256')
  let position = 0
  let chunk = new LogChunk()

  /**
   * The run is recorded from the first chunk with requests on. So a file in which there are none, for example with a wrong format or
   * host, can be imported again with the right one.
   */
  const deliverChunk = async () => {
    if (chunk.lines === 0) return
    isRecorded ||= chunk.requests.length > 0
    if (!isRecorded) return skipChunk()
    const chunkStart = position - chunk.bytes
    run.fingerprint = hash.copy().digest()
    run.confirmedBytes = chunkStart
    run.plannedBytes = position
    await runs.plan(run)
    const id = `${chunkStart} ${run.fingerprint.toString('hex')}`
    const { outcome, counted, dropped } = await deliver({ id, requests: chunk.requests, run })
    imported.lines += chunk.lines
    if (outcome === 'repeated') imported.alreadyImportedLines += chunk.lines
    else {
      imported.counted += counted
      imported.unreadableLines += chunk.unreadable
      imported.ignoredLines += chunk.ignored
      for (const [reason, count] of Object.entries(dropped))
        imported.dropped[reason] = (imported.dropped[reason] ?? 0) + count
    }
    chunk = new LogChunk()
    onProgress(imported)
  }
  const skipChunk = () => {
    imported.lines += chunk.lines
    imported.unreadableLines += chunk.unreadable
    imported.ignoredLines += chunk.ignored
    chunk = new LogChunk()
    onProgress(imported)
  }

  for await (const line of readLines(file)) {
    hash.update(line.bytes)
    position += line.bytes.length
    if (position <= run.confirmedBytes) {
      if (line.text?.startsWith('#')) readLine(line.text) // a header says how to read the lines after it
      imported.lines += Number(line.isLineStart)
      imported.alreadyImportedLines += Number(line.isLineStart)
      continue
    }
    chunk.add(line, (text) => clampToNow(readLine(text), startedAt))
    // A chunk also ends where an earlier run was interrupted: only the same chunk has the same ID.
    const isFull = chunk.lines >= maxLinesPerChunk || chunk.bytes >= maxBytesPerChunk
    if (position === interruptedAt || (isFull && position > interruptedAt)) await deliverChunk()
  }
  await deliverChunk()
  if (isRecorded) {
    run.confirmedBytes = run.plannedBytes
    await runs.finish(run)
  }
  return imported
}

/** Finds the earlier run that has imported the most of this file: its fingerprint matches the beginning of the file. */
async function findRun<Run extends ImportPosition>(
  file: LogFile,
  earlierRuns: readonly Run[],
): Promise<Run | undefined> {
  const lengths = [...new Set(earlierRuns.map(({ plannedBytes }) => plannedBytes))].sort((a, b) => a - b)
  const hash = createHash('sha256')
  let found: Run | undefined
  let position = 0
  if (lengths.length === 0) return undefined
  for await (const bytes of file.read()) {
    let hashed = 0
    for (let length = lengths[0]; length !== undefined && length <= position + bytes.length; length = lengths[0]) {
      hash.update(bytes.subarray(hashed, length - position))
      hashed = length - position
      const fingerprint = hash.copy().digest()
      const sameLength = earlierRuns.filter(({ plannedBytes }) => plannedBytes === length)
      found = sameLength.find((run) => run.fingerprint.equals(fingerprint)) ?? found
      lengths.shift()
    }
    if (lengths.length === 0) break
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
  ignored = 0

  add({ text, bytes, isLineStart }: LogLine, read: (text: string) => ParsedLine): void {
    this.bytes += bytes.length
    this.lines += Number(isLineStart)
    const parsed = text === undefined ? undefined : read(text)
    if (parsed === 'ignored') this.ignored++
    else if (parsed) this.requests.push(parsed)
    else if (isLineStart) this.unreadable++
  }
}

const clampToNow = (parsed: ParsedLine, now: Date): ParsedLine =>
  typeof parsed === 'object' && parsed.at > now ? { ...parsed, at: now } : parsed
