/** The last events, for whoever sets up counting and wants to see it work: counted ones from the views, dropped ones as noted. */
import type { Kysely } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { ClientClass } from '../classify/client-class.ts'
import { examplesKeptMinutes } from '../collect/source-notes.ts'
import type { LeftOutReason, ViewSource } from '../collect/view-source.ts'
import type { AnalyticsTables } from '../tables.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { asMoment } from './conditions.ts'
import { readSettings } from './read-settings.ts'

export interface LiveEvent {
  at: Date
  path: string
  source: ViewSource
  /** Null: it was dropped. */
  client: { class: ClientClass; name: string } | null
  /** Null: it was counted. */
  reason: LeftOutReason | null
}

const maxEvents = 50

export async function countedEvents(clickhouse: QueryClickhouse, projectId: Id<'prj'>): Promise<LiveEvent[]> {
  const response = await clickhouse.query({
    query: `
      SELECT toUnixTimestamp64Milli(at) AS ms, path, if(import_id = '', source, 'logs') AS source, class, client
      FROM page_view
      WHERE project_id = {project: String} AND at >= ${asMoment(sinceMs())}
      ORDER BY at DESC
      LIMIT ${maxEvents}`,
    query_params: { project: projectId },
    clickhouse_settings: readSettings,
    format: 'JSONEachRow',
  })
  const rows = await response.json<{
    ms: number
    path: string
    source: ViewSource
    class: ClientClass
    client: string
  }>()
  return rows.map(({ ms, path, source, class: clientClass, client }) => ({
    at: new Date(ms),
    path,
    source,
    client: { class: clientClass, name: client },
    reason: null,
  }))
}

export async function droppedEvents(db: Kysely<AnalyticsTables>, projectId: Id<'prj'>): Promise<LiveEvent[]> {
  const rows = await db
    .selectFrom('dropped_event')
    .select(['at', 'path', 'source', 'reason'])
    .where('project_id', '=', projectId)
    .where('at', '>=', new Date(sinceMs()))
    .orderBy('at', 'desc')
    .limit(maxEvents)
    .execute()
  return rows.map((row) => ({ ...row, client: null }))
}

export const newestFirst = (events: readonly LiveEvent[]): LiveEvent[] =>
  events.toSorted((one, other) => other.at.getTime() - one.at.getTime()).slice(0, maxEvents)

const sinceMs = () => Date.now() - examplesKeptMinutes * 60_000
