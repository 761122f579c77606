/**
 * One log file into the buffer. It may be killed at any moment and run again, on the same file or on one that has grown since:
 * every line counts once. For that it goes in pieces; which piece is next is written down before it is delivered, and each is
 * known by what the file holds up to its end, so that no other name or copy of the file is another file.
 */
import { createHash } from 'node:crypto'
import type { ClientDetector } from '../classify/client-detector.ts'
import { type Dropped, siftRequests } from '../collect/sift-requests.ts'
import type { SourceNotes } from '../collect/source-notes.ts'
import type { ViewBuffer } from '../collect/view-buffer.ts'
import type { Site } from '../settings/settings-store.ts'
import type { ImportRun, ImportStore } from './import-store.ts'
import type { LoggedRequest, ReadLogLine } from './log-line.ts'
import { LineSplitter } from './split-lines.ts'

export interface LogFile {
  /** Unpacked, from its beginning, as often as it is asked for. */
  read(): AsyncIterable<Buffer>
  /** Somebody may be in the middle of writing its last line. */
  isBeingWritten: boolean
}

export interface ImportDeps {
  runs: ImportStore
  append: ViewBuffer['append']
  note: SourceNotes['note']
  site: Site
  clientDetector: ClientDetector
}

export interface Imported {
  lines: number
  counted: number
  dropped: Dropped
  /** Lines that tell of no request. */
  unreadable: number
  /** Lines that an earlier import has taken. */
  linesBefore: number
}

const maxLinesPerBatch = 5_000
const maxConcurrentBytes = 4 * 1024 * 1024

/** `onProgress` is told after every piece. */
export async function importLog(
  file: LogFile,
  readLine: ReadLogLine,
  { runs, append, note, site, clientDetector }: ImportDeps,
  onProgress: (imported: Imported) => void = () => {},
): Promise<Imported> {
  const run = (await findRun(file, await runs.list())) ?? runs.newRun()
  const startedAt = new Date()
  const imported: Imported = { lines: 0, counted: 0, dropped: {}, unreadable: 0, linesBefore: 0 }
  const interruptedAt = run.plannedBytes
  const hash = createHash('sha256')
  let position = 0
  let piece = new Piece()

  const deliver = async () => {
    if (piece.lines === 0) return
    const begin = position - piece.bytes
    run.fingerprint = hash.copy().digest()
    run.confirmedBytes = begin
    run.plannedBytes = position
    await runs.plan(run)
    const rule = { site, clientDetector, source: 'servers', importId: run.id } as const
    const { views, dropped, examples } = siftRequests(piece.requests, rule)
    const outcome = await append({
      projectId: site.projectId,
      shard: site.shard,
      source: 'servers',
      countsHumans: site.settings.humanSource === 'servers',
      deliveryId: { text: `import ${begin} ${run.fingerprint.toString('hex')}`, keep: 'for ever' },
      views,
    })
    run.views += views.length
    imported.lines += piece.lines
    if (outcome === 'repeated') imported.linesBefore += piece.lines
    else {
      note({ projectId: site.projectId, source: 'logs', counted: views.length, dropped, examples })
      imported.counted += views.length
      imported.unreadable += piece.unreadable
      for (const [reason, count] of Object.entries(dropped) as [keyof Dropped, number][])
        imported.dropped[reason] = (imported.dropped[reason] ?? 0) + count
    }
    piece = new Piece()
    onProgress(imported)
  }

  for await (const line of linesOf(file)) {
    hash.update(line.bytes)
    position += line.bytes.length
    if (position <= run.confirmedBytes) {
      imported.lines += Number(line.isFirst)
      imported.linesBefore += Number(line.isFirst)
      continue
    }
    piece.add(line, (text) => notInTheFuture(readLine(text), startedAt))
    // Where an earlier run was interrupted its piece ends too: it has to be the same one, to be known again.
    const isFull = piece.lines >= maxLinesPerBatch || piece.bytes >= maxConcurrentBytes
    if (position === interruptedAt || (isFull && position > interruptedAt)) await deliver()
  }
  await deliver()
  run.confirmedBytes = run.plannedBytes
  await runs.finish(run)
  return imported
}

/** The run that has taken the most of this file, by what the file begins with. */
async function findRun(file: LogFile, known: readonly ImportRun[]): Promise<ImportRun | undefined> {
  const byLength = [...Map.groupBy(known, ({ plannedBytes }) => plannedBytes)].sort(([a], [b]) => a - b)
  const hash = createHash('sha256')
  let found: ImportRun | undefined
  let position = 0
  if (byLength.length === 0) return undefined
  for await (const chunk of file.read()) {
    let done = 0
    for (let next = byLength[0]; next && next[0] <= position + chunk.length; next = byLength[0]) {
      const [length, runs] = next
      hash.update(chunk.subarray(done, length - position))
      done = length - position
      const fingerprint = hash.copy().digest()
      found = runs.find((run) => run.fingerprint.equals(fingerprint)) ?? found
      byLength.shift()
    }
    if (byLength.length === 0) break
    hash.update(chunk.subarray(done))
    position += chunk.length
  }
  return found
}

async function* linesOf({ read, isBeingWritten }: LogFile) {
  const splitter = new LineSplitter()
  for await (const chunk of read()) yield* splitter.push(chunk)
  if (!isBeingWritten) yield* splitter.end()
}

class Piece {
  readonly requests: LoggedRequest[] = []
  lines = 0
  bytes = 0
  unreadable = 0

  add(
    { text, bytes, isFirst }: { text: string | undefined; bytes: Buffer; isFirst: boolean },
    read: (text: string) => LoggedRequest | undefined,
  ): void {
    this.bytes += bytes.length
    this.lines += Number(isFirst)
    const request = text === undefined ? undefined : read(text)
    if (request) this.requests.push(request)
    else if (isFirst) this.unreadable++
  }
}

const notInTheFuture = (request: LoggedRequest | undefined, now: Date) =>
  request && request.at > now ? { ...request, at: now } : request
