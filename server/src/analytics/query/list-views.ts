/**
 * Lists a project's pages by views. Whole months and days are read from sums, the remainders at the edges from the views
 * themselves. Any range is exact and costs pages times months, plus at most two days of views.
 */

import type { Id } from '../../platform/ids.ts'
import { type AiScope, buildAiSumSql, buildHumanAndAiColumnsSql } from './ai-scope.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import { buildPageCondition, buildPageFilterParams, type PageFilter } from './page-filter.ts'
import { clickhouseQuerySettings } from './query-settings.ts'
import { buildSpansCondition, formatDateLiteral, formatDateTime64Literal } from './time-conditions.ts'
import { splitByDay, splitByMonth, type TimeRange, toMillisecondSpan } from './time-range.ts'

export interface ViewCounts {
  human: number
  ai: number
  total: number
}

export interface PageViews extends ViewCounts {
  path: string
}

export interface PagesByViews {
  /** Of the whole range and all matching pages. */
  totals: ViewCounts
  views: PageViews[]
  hasMore: boolean
}

export interface PagesByViewsQuery {
  projectId: Id<'prj'>
  range: TimeRange
  ai: AiScope
  pages: PageFilter
  limit: number
  offset: number
}

export async function listPagesByViews(
  clickhouse: ClickhouseQueryClient,
  query: PagesByViewsQuery,
): Promise<PagesByViews> {
  const { projectId, range, ai, pages, limit, offset } = query
  const response = await clickhouse.query({
    // Totals from a window over all pages take a tenth longer (measured). In the JSON formats, totals are missing when the
    // page of results is empty (26.7, tried). In TSV they are always the last line, and a path in JSON has no tabs or line feeds.
    query: `
      SELECT toJSONString(path), sum(human) AS all_human, sum(ai) AS all_ai
      FROM (${buildSumsByPageSql(range, ai, pages)})
      GROUP BY path WITH TOTALS
      HAVING all_human + all_ai > 0
      ORDER BY all_human + all_ai DESC, path
      LIMIT {rows: UInt64} OFFSET {offset: UInt64}`,
    query_params: { project: projectId, rows: limit + 1, offset, ...buildPageFilterParams(pages) },
    clickhouse_settings: clickhouseQuerySettings,
    format: 'TabSeparatedRaw',
  })
  const lines = (await response.text()).trimEnd().split('\n')
  const totals = parseLine(lines.pop())
  const rows = lines.filter((line) => line !== '').map(parseLine)
  return {
    totals: { human: totals.human, ai: totals.ai, total: totals.total },
    views: rows.slice(0, limit),
    hasMore: rows.length > limit,
  }
}

/** Throws if the line is invalid: ClickHouse may report an error in the middle of a response. */
function parseLine(line = ''): PageViews {
  const [, path, human, ai] = /^(".*")\t(\d+)\t(\d+)$/.exec(line) ?? []
  if (path === undefined) throw new Error(`Unexpected response from ClickHouse: ${line.slice(0, 200)}`)
  return { path: JSON.parse(path), human: Number(human), ai: Number(ai), total: Number(human) + Number(ai) }
}

/** SQL for rows of path, human and ai, with several rows per path. */
export function buildSumsByPageSql(range: TimeRange, ai: AiScope, pages: PageFilter = {}): string {
  const { wholeUnits: wholeDays, remainder } = splitByDay(toMillisecondSpan(range))
  const byMonth = wholeDays.map(splitByMonth)
  const months = byMonth.flatMap((split) => split.wholeUnits)
  const days = byMonth.flatMap((split) => split.remainder)
  const selectSums = (table: string, when: string) =>
    `SELECT path, human, ${buildAiSumSql(ai)} AS ai FROM ${table}
     WHERE project_id = {project: String} AND (${when}) AND ${buildPageCondition(pages)}`
  const selectViews = (when: string) =>
    `SELECT path, ${buildHumanAndAiColumnsSql(ai)} FROM page_view
     WHERE project_id = {project: String} AND (${when}) AND ${buildPageCondition(pages)} GROUP BY path`
  const parts = [
    months.length > 0 && selectSums('views_by_page_and_month', buildSpansCondition('month', months, formatDateLiteral)),
    days.length > 0 && selectSums('views_by_page_and_day', buildSpansCondition('day', days, formatDateLiteral)),
    remainder.length > 0 && selectViews(buildSpansCondition('at', remainder, formatDateTime64Literal)),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(' UNION ALL ') : selectViews('false')
}
