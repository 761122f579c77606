/**
 * Records, for people who set up counting, when each source last sent an event and what happened to its events. Summed in memory, so
 * that ingest does not wait for it, and written every few seconds; for each project once a minute while many are active. A process that
 * is killed loses its last ones.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { Log } from '../../platform/log.ts'
import { countMetric } from '../../platform/metrics/metrics.ts'
import type { DroppedEvent } from './classify-requests.ts'
import type { AnyDropReason, ViewSource } from './view-source.ts'

export interface IngestOutcome {
  projectId: Id<'prj'>
  source: ViewSource
  counted: number
  dropped: Partial<Record<AnyDropReason, number>>
  /** Some of the dropped events, for the live feed. */
  examples: readonly DroppedEvent[]
}

interface EventCount {
  projectId: Id<'prj'>
  source: ViewSource
  hour: Date
  outcome: AnyDropReason | 'counted'
  events: number
}

interface Example extends DroppedEvent {
  projectId: Id<'prj'>
  source: ViewSource
  at: Date
}

const writeEveryMs = 3_000
/** With thousands of active projects, writing these rows every few seconds cost more than writing the views. */
const writeProjectEveryMs = 60_000
const fewActive = 200
const hourMs = 3_600_000
/** Anyone can send events that are dropped, without limit. Only a limited number of them is kept for the live feed. */
const maxExamplesPerProject = 10
const maxExamples = 500
export const droppedExampleRetentionMinutes = 15

export class SourceActivityRecorder {
  readonly #db: Database
  readonly #log: Log
  #lastEvents = new Map<string, { projectId: Id<'prj'>; source: ViewSource; at: Date }>()
  #eventCounts = new Map<string, EventCount>()
  #examples: Example[] = []
  #exampleCounts = new Map<Id<'prj'>, number>()
  readonly #writtenAtMs = new Map<Id<'prj'>, number>()
  #writing: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Database, log: Log) {
    this.#db = db
    this.#log = log
  }

  record({ projectId, source, counted, dropped, examples }: IngestOutcome): void {
    const at = new Date()
    const hour = new Date(Math.floor(at.getTime() / hourMs) * hourMs)
    this.#lastEvents.set(`${projectId} ${source}`, { projectId, source, at })
    for (const [outcome, events] of Object.entries({ counted, ...dropped }) as [EventCount['outcome'], number][]) {
      if (events === 0) continue
      countMetric('colophon_view_events_total', { source, outcome }, { by: events, projectId })
      const key = `${projectId} ${source} ${hour.getTime()} ${outcome}`
      const count = this.#eventCounts.get(key)
      if (count) count.events += events
      else this.#eventCounts.set(key, { projectId, source, hour, outcome, events })
    }
    for (const example of examples) {
      const projectExamples = this.#exampleCounts.get(projectId) ?? 0
      if (projectExamples >= maxExamplesPerProject || this.#examples.length >= maxExamples) break
      this.#exampleCounts.set(projectId, projectExamples + 1)
      this.#examples.push({ projectId, source, at, ...example })
    }
    this.#timer ??= setTimeout(() => this.#writeDue(), writeEveryMs)
  }

  /** Writes everything recorded so far. Never rejects: a failed write is logged, and its records are lost. */
  flush(): Promise<void> {
    return this.#startWrite(() => true)
  }

  #startWrite(isDue: (projectId: Id<'prj'>) => boolean): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write(isDue))
    return this.#writing
  }

  #writeDue(): void {
    const before = performance.now() - writeProjectEveryMs
    for (const [projectId, atMs] of this.#writtenAtMs) if (atMs < before) this.#writtenAtMs.delete(projectId)
    const areFewActive = this.#lastEvents.size <= fewActive
    void this.#startWrite((projectId) => areFewActive || !this.#writtenAtMs.has(projectId))
  }

  async #write(isDue: (projectId: Id<'prj'>) => boolean): Promise<void> {
    const lastEvents = takeFrom(this.#lastEvents, isDue)
    const eventCounts = takeFrom(this.#eventCounts, isDue)
    const examples = this.#examples.filter(({ projectId }) => isDue(projectId))
    this.#examples = this.#examples.filter(({ projectId }) => !isDue(projectId))
    for (const { projectId } of lastEvents) {
      this.#exampleCounts.delete(projectId)
      this.#writtenAtMs.set(projectId, performance.now())
    }
    if (this.#lastEvents.size > 0) this.#timer ??= setTimeout(() => this.#writeDue(), writeEveryMs)
    if (lastEvents.length === 0) return
    await this.#db
      .transaction()
      .execute(async (tx) => {
        await writeLastEvents(tx, lastEvents)
        await writeEventCounts(tx, eventCounts)
        await writeExamples(tx, examples)
      })
      .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'could not record source activity'))
  }
}

/** Removes the records of these projects and returns them. */
function takeFrom<Recorded extends { projectId: Id<'prj'> }>(
  records: Map<string, Recorded>,
  isDue: (projectId: Id<'prj'>) => boolean,
): Recorded[] {
  const due = [...records].filter(([, { projectId }]) => isDue(projectId))
  for (const [key] of due) records.delete(key)
  return due.map(([, recorded]) => recorded)
}

type Tx = DatabaseTransaction

// Rows that several replicas write are locked in a fixed order, so that two transactions cannot deadlock.

async function writeLastEvents(tx: Tx, lastEvents: readonly { projectId: string; source: string; at: Date }[]) {
  await sql`
    INSERT INTO source_last_event (project_id, source, last_event_at)
    SELECT event.* FROM unnest(
      ${lastEvents.map(({ projectId }) => projectId)}::text[], ${lastEvents.map(({ source }) => source)}::text[],
      ${lastEvents.map(({ at }) => at)}::timestamptz[]
    ) AS event (project_id, source, at)
    JOIN project ON project.id = event.project_id
    ORDER BY event.project_id, event.source
    ON CONFLICT (project_id, source)
      DO UPDATE SET last_event_at = greatest(source_last_event.last_event_at, excluded.last_event_at)`.execute(tx)
}

async function writeEventCounts(tx: Tx, counts: readonly EventCount[]) {
  await sql`
    INSERT INTO source_event_count (project_id, source, hour, outcome, events)
    SELECT counted.* FROM unnest(
      ${counts.map(({ projectId }) => projectId)}::text[], ${counts.map(({ source }) => source)}::text[],
      ${counts.map(({ hour }) => hour)}::timestamptz[], ${counts.map(({ outcome }) => outcome)}::text[],
      ${counts.map(({ events }) => events)}::bigint[]
    ) AS counted (project_id, source, hour, outcome, events)
    JOIN project ON project.id = counted.project_id
    ORDER BY counted.project_id, counted.source, counted.hour, counted.outcome
    ON CONFLICT (project_id, source, hour, outcome)
      DO UPDATE SET events = source_event_count.events + excluded.events`.execute(tx)
}

async function writeExamples(tx: Tx, examples: readonly Example[]) {
  if (examples.length === 0) return
  await sql`DELETE FROM dropped_event WHERE at < now() - make_interval(mins => ${droppedExampleRetentionMinutes})`.execute(
    tx,
  )
  await sql`
    INSERT INTO dropped_event (project_id, at, source, path, reason)
    SELECT dropped.* FROM unnest(
      ${examples.map(({ projectId }) => projectId)}::text[], ${examples.map(({ at }) => at)}::timestamptz[],
      ${examples.map(({ source }) => source)}::text[], ${examples.map(({ path }) => path)}::text[],
      ${examples.map(({ reason }) => reason)}::text[]
    ) AS dropped (project_id, at, source, path, reason)
    JOIN project ON project.id = dropped.project_id`.execute(tx)
}
