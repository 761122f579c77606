/** What sources have sent lately, and what became of it. By whole hours: "24 hours" begin with the hour that was 24 hours ago. */
import { type Kysely, sql } from 'kysely'
import type { Id } from '../../platform/ids.ts'
import type { LeftOutReason, ViewSource } from '../collect/view-source.ts'
import type { AnalyticsTables, Day } from '../tables.ts'

export interface HeardSource {
  source: ViewSource
  lastEventAt: Date
  countedLast24Hours: number
  droppedLast24Hours: number
}

export interface LeftOut {
  source: ViewSource
  reason: LeftOutReason
  last24Hours: number
  last7Days: number
}

export interface HeardSources {
  sources: HeardSource[]
  /** Most in seven days first. */
  dropped: LeftOut[]
  /** Since when somebody looked who could see people, and who could see AIs. Null: nobody has. */
  measuredSince: { human: Day | null; ai: Day | null }
}

export async function heardSources(db: Kysely<AnalyticsTables>, projectId: Id<'prj'>): Promise<HeardSources> {
  const [heard, tallies, measuredSince] = await Promise.all([
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
        sql<Day | null>`(min(first_day) FILTER (WHERE counts_humans))::text`.as('human'),
        sql<Day | null>`(min(first_day) FILTER (WHERE source = 'servers'))::text`.as('ai'),
      ])
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow(),
  ])
  const dropped = tallies.flatMap(({ source, outcome, last24Hours, last7Days }) =>
    outcome === 'counted'
      ? []
      : [{ source, reason: outcome, last24Hours: Number(last24Hours), last7Days: Number(last7Days) }],
  )
  const sources = heard.map((row) => ({
    ...row,
    countedLast24Hours: Number(
      tallies.find(({ source, outcome }) => source === row.source && outcome === 'counted')?.last24Hours ?? 0,
    ),
    droppedLast24Hours: dropped
      .filter(({ source }) => source === row.source)
      .reduce((sum, { last24Hours }) => sum + last24Hours, 0),
  }))
  return { sources, dropped, measuredSince }
}

const hoursAgo = (hours: number) => sql<Date>`date_trunc('hour', now()) - make_interval(hours => ${hours})`
