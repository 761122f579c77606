/**
 * Notes for whoever sets up counting: when each source was last heard of, and what became of its events. Summed in memory
 * and written every few seconds: a process that is killed takes its last ones along, and views never wait for them.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import type { AnalyticsTables } from '../tables.ts'
import type { DroppedEvent } from './sift-requests.ts'
import type { LeftOutReason, ViewSource } from './view-source.ts'

export interface SourceNote {
  projectId: Id<'prj'>
  source: ViewSource
  counted: number
  dropped: Partial<Record<LeftOutReason, number>>
  /** Some of the dropped ones, to be looked at. */
  examples: readonly DroppedEvent[]
}

interface Tally {
  projectId: Id<'prj'>
  source: ViewSource
  hour: Date
  outcome: LeftOutReason | 'counted'
  events: number
}

interface Example extends DroppedEvent {
  projectId: Id<'prj'>
  source: ViewSource
  at: Date
}

const writeEveryMs = 3_000
const hourMs = 3_600_000
/** Strangers can be dropped as often as they like: of what they send only so much is kept for the live feed. */
const maxExamplesPerProject = 10
const maxExamples = 500
export const examplesKeptMinutes = 15

export class SourceNotes {
  readonly #db: Kysely<AnalyticsTables>
  readonly #log: Log
  #lastHeard = new Map<string, { projectId: Id<'prj'>; source: ViewSource; at: Date }>()
  #tallies = new Map<string, Tally>()
  #examples: Example[] = []
  #examplesOf = new Map<Id<'prj'>, number>()
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Kysely<AnalyticsTables>, log: Log) {
    this.#db = db
    this.#log = log
  }

  note({ projectId, source, counted, dropped, examples }: SourceNote): void {
    const at = new Date()
    const hour = new Date(Math.floor(at.getTime() / hourMs) * hourMs)
    this.#lastHeard.set(`${projectId} ${source}`, { projectId, source, at })
    for (const [outcome, events] of Object.entries({ counted, ...dropped }) as [Tally['outcome'], number][]) {
      if (events === 0) continue
      const key = `${projectId} ${source} ${hour.getTime()} ${outcome}`
      const known = this.#tallies.get(key)
      if (known) known.events += events
      else this.#tallies.set(key, { projectId, source, hour, outcome, events })
    }
    for (const example of examples) {
      const known = this.#examplesOf.get(projectId) ?? 0
      if (known >= maxExamplesPerProject || this.#examples.length >= maxExamples) break
      this.#examplesOf.set(projectId, known + 1)
      this.#examples.push({ projectId, source, at, ...example })
    }
    this.#timer ??= setTimeout(() => void this.settle(), writeEveryMs)
  }

  /** Writes what is noted. Never rejects: what could not be written is lost, and logged. */
  settle(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lastHeard.size === 0) return
    const lastHeard = [...this.#lastHeard.values()]
    const tallies = [...this.#tallies.values()]
    const examples = this.#examples
    this.#lastHeard = new Map()
    this.#tallies = new Map()
    this.#examples = []
    this.#examplesOf = new Map()
    await this.#db
      .transaction()
      .execute(async (tx) => {
        await writeLastHeard(tx, lastHeard)
        await writeTallies(tx, tallies)
        await writeExamples(tx, examples)
      })
      .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'could not note what sources have sent'))
  }
}

type Tx = Transaction<AnalyticsTables>

// Rows that several replicas write are taken in one order, or two transactions would wait for each other.

async function writeLastHeard(tx: Tx, heard: readonly { projectId: string; source: string; at: Date }[]) {
  await sql`
    INSERT INTO source_last_event (project_id, source, last_event_at)
    SELECT heard.* FROM unnest(
      ${heard.map(({ projectId }) => projectId)}::text[], ${heard.map(({ source }) => source)}::text[],
      ${heard.map(({ at }) => at)}::timestamptz[]
    ) AS heard (project_id, source, at)
    JOIN project ON project.id = heard.project_id
    ORDER BY heard.project_id, heard.source
    ON CONFLICT (project_id, source)
      DO UPDATE SET last_event_at = greatest(source_last_event.last_event_at, excluded.last_event_at)`.execute(tx)
}

async function writeTallies(tx: Tx, tallies: readonly Tally[]) {
  await sql`
    INSERT INTO source_event_count (project_id, source, hour, outcome, events)
    SELECT tally.* FROM unnest(
      ${tallies.map(({ projectId }) => projectId)}::text[], ${tallies.map(({ source }) => source)}::text[],
      ${tallies.map(({ hour }) => hour)}::timestamptz[], ${tallies.map(({ outcome }) => outcome)}::text[],
      ${tallies.map(({ events }) => events)}::bigint[]
    ) AS tally (project_id, source, hour, outcome, events)
    JOIN project ON project.id = tally.project_id
    ORDER BY tally.project_id, tally.source, tally.hour, tally.outcome
    ON CONFLICT (project_id, source, hour, outcome)
      DO UPDATE SET events = source_event_count.events + excluded.events`.execute(tx)
}

async function writeExamples(tx: Tx, examples: readonly Example[]) {
  if (examples.length === 0) return
  await sql`DELETE FROM dropped_event WHERE at < now() - make_interval(mins => ${examplesKeptMinutes})`.execute(tx)
  await sql`
    INSERT INTO dropped_event (project_id, at, source, path, reason)
    SELECT dropped.* FROM unnest(
      ${examples.map(({ projectId }) => projectId)}::text[], ${examples.map(({ at }) => at)}::timestamptz[],
      ${examples.map(({ source }) => source)}::text[], ${examples.map(({ path }) => path)}::text[],
      ${examples.map(({ reason }) => reason)}::text[]
    ) AS dropped (project_id, at, source, path, reason)
    JOIN project ON project.id = dropped.project_id`.execute(tx)
}
