/** The latest events, for people who set up counting: counted ones from the views, dropped ones from the recorded examples. */
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { ClientClass } from '../classify/client-class.ts'
import { droppedExampleRetentionMinutes } from '../collect/source-activity-recorder.ts'
import type { AnyDropReason, ViewSource } from '../collect/view-source.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import { clickhouseQuerySettings } from './query-settings.ts'
import { formatDateTime64Literal } from './time-conditions.ts'

export interface LiveEvent {
  at: Date
  path: string
  source: ViewSource
  /** Null if the event was dropped. */
  client: { class: ClientClass; name: string } | null
  /** Null if the event was counted. */
  reason: AnyDropReason | null
}

const maxEvents = 50

export async function listCountedEvents(clickhouse: ClickhouseQueryClient, projectId: Id<'prj'>): Promise<LiveEvent[]> {
  const response = await clickhouse.query({
    query: `
      SELECT toUnixTimestamp64Milli(at) AS ms, path, if(import_id = '', source, 'logs') AS source, class, client
      FROM page_view
      WHERE project_id = {project: String} AND at >= ${formatDateTime64Literal(sinceMs())}
      ORDER BY at DESC
      LIMIT ${maxEvents}`,
    query_params: { project: projectId },
    clickhouse_settings: clickhouseQuerySettings,
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

export async function listDroppedEvents(db: Database, projectId: Id<'prj'>): Promise<LiveEvent[]> {
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

export const sortNewestFirst = (events: readonly LiveEvent[]): LiveEvent[] =>
  events.toSorted((a, b) => b.at.getTime() - a.at.getTime()).slice(0, maxEvents)

const sinceMs = () => Date.now() - droppedExampleRetentionMinutes * 60_000
