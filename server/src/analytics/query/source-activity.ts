/** What sources have sent recently, and the outcome. Counted by whole hours: "24 hours" begin with the hour 24 hours ago. */
import { sql } from 'kysely'
import type { Database } from '../../database/database.ts'
import type { Id } from '../../platform/ids.ts'
import type { AnyDropReason, ViewSource } from '../collect/view-source.ts'
import type { IsoDate } from '../tables.ts'

export interface ActiveSource {
  source: ViewSource
  lastEventAt: Date
  countedLast24Hours: number
  droppedLast24Hours: number
}

export interface DropSummary {
  source: ViewSource
  reason: AnyDropReason
  last24Hours: number
  last7Days: number
}

export interface SourceActivity {
  sources: ActiveSource[]
  /** The most frequent of the last seven days first. */
  dropped: DropSummary[]
  /** The first day on which a source could see humans, and AI. Null: no source has yet. */
  measuredSince: { human: IsoDate | null; ai: IsoDate | null }
}

export async function readSourceActivity(db: Database, projectId: Id<'prj'>): Promise<SourceActivity> {
  const [lastEvents, eventCounts, measuredSince] = await Promise.all([
    db
      .selectFrom('source_last_event')
      .select(['source', 'last_event_at as lastEventAt'])
      .where('project_id', '=', projectId)
      .orderBy('last_event_at', 'desc')
      .execute(),
    db
      .selectFrom('source_event_count')
      .select(['source', 'outcome'])
      .select(sql<string>`coalesce(sum(events) FILTER (WHERE hour >= ${hoursAgo(24)}), 0)`.as('last24Hours'))
      .select(sql<string>`sum(events)`.as('last7Days'))
      .where('project_id', '=', projectId)
      .where('hour', '>=', hoursAgo(7 * 24))
      .groupBy(['source', 'outcome'])
      .orderBy('last7Days', 'desc')
      .orderBy('outcome')
      .execute(),
    db
      .selectFrom('source_coverage')
      .select([
        sql<IsoDate | null>`(min(first_day) FILTER (WHERE counts_humans))::text`.as('human'),
        sql<IsoDate | null>`(min(first_day) FILTER (WHERE source = 'servers'))::text`.as('ai'),
      ])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow(),
  ])
  const dropped = eventCounts.flatMap(({ source, outcome, last24Hours, last7Days }) =>
    outcome === 'counted'
      ? []
      : [{ source, reason: outcome, last24Hours: Number(last24Hours), last7Days: Number(last7Days) }],
  )
  const sources = lastEvents.map((row) => ({
    ...row,
    countedLast24Hours: Number(
      eventCounts.find(({ source, outcome }) => source === row.source && outcome === 'counted')?.last24Hours ?? 0,
    ),
    droppedLast24Hours: dropped
      .filter(({ source }) => source === row.source)
      .reduce((sum, { last24Hours }) => sum + last24Hours, 0),
  }))
  return { sources, dropped, measuredSince }
}

const hoursAgo = (hours: number) => sql<Date>`date_trunc('hour', now()) - make_interval(hours => ${hours})`
