/**
 * A project's pages by views. Whole months and days are read from sums, what is left at the edges from the views themselves:
 * any range is exact, and costs pages times months, and two days of views at most.
 */

import type { Id } from '../../platform/ids.ts'
import { type AiMeaning, isAi, summedAi } from './ai-meaning.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { asDay, asMoment, during } from './conditions.ts'
import { readSettings } from './read-settings.ts'
import { spanOf, splitByDay, splitByMonth, type TimeRange } from './time-range.ts'

export interface ViewCounts {
  human: number
  ai: number
  total: number
}

export interface PageViews extends ViewCounts {
  path: string
}

export interface ViewsPage {
  /** Of the whole range. */
  totals: ViewCounts
  views: PageViews[]
  hasMore: boolean
}

export interface ViewsQuery {
  projectId: Id<'prj'>
  range: TimeRange
  ai: AiMeaning
  limit: number
  offset: number
}

export async function listViews(clickhouse: QueryClickhouse, query: ViewsQuery): Promise<ViewsPage> {
  const { projectId, range, ai, limit, offset } = query
  const answer = await clickhouse.query({
    // Not WITH TOTALS: in JSON, of a page without rows, it is not JSON (26.7, tried).
    query: `
      SELECT path, human, ai, human + ai AS total, sum(human) OVER () AS all_human, sum(ai) OVER () AS all_ai
      FROM (SELECT path, sum(human) AS human, sum(ai) AS ai FROM (${sumsByPage(range, ai)}) GROUP BY path)
      WHERE human + ai > 0
      ORDER BY total DESC, path
      LIMIT {rows: UInt64} OFFSET {offset: UInt64}`,
    query_params: { project: projectId, rows: limit + 1, offset },
    clickhouse_settings: readSettings,
    format: 'JSONEachRow',
  })
  const rows = await answer.json<PageViews & { all_human: number; all_ai: number }>()
  const [first] = rows
  if (!first && offset > 0)
    return { ...(await listViews(clickhouse, { ...query, offset: 0 })), views: [], hasMore: false }
  const all = { human: first?.all_human ?? 0, ai: first?.all_ai ?? 0 }
  return {
    totals: { ...all, total: all.human + all.ai },
    views: rows.slice(0, limit).map(({ path, human, ai, total }) => ({ path, human, ai, total })),
    hasMore: rows.length > limit,
  }
}

/** Rows of path, human and ai, several to a path. */
export function sumsByPage(range: TimeRange, ai: AiMeaning): string {
  const { whole, rest: moments } = splitByDay(spanOf(range))
  const byMonth = whole.map(splitByMonth)
  const months = byMonth.flatMap((split) => split.whole)
  const days = byMonth.flatMap((split) => split.rest)
  const sums = (table: string, when: string) =>
    `SELECT path, human, ${summedAi(ai)} AS ai FROM ${table} WHERE project_id = {project: String} AND (${when})`
  const views = (when: string) =>
    `SELECT path, sumIf(views, class = 'human') AS human, sumIf(views, ${isAi(ai)}) AS ai FROM page_view
     WHERE project_id = {project: String} AND (${when}) GROUP BY path`
  const parts = [
    months.length > 0 && sums('views_by_page_and_month', during('month', months, asDay)),
    days.length > 0 && sums('views_by_page_and_day', during('day', days, asDay)),
    moments.length > 0 && views(during('at', moments, asMoment)),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(' UNION ALL ') : views('false')
}
