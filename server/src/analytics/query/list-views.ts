/**
 * A project's pages by views. Whole months and days are read from sums, what is left at the edges from the views themselves:
 * any range is exact, and costs pages times months, and two days of views at most.
 */

import type { Id } from '../../platform/ids.ts'
import { type AiMeaning, humanAndAi, summedAi } from './ai-meaning.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { asDay, asMoment, during } from './conditions.ts'
import { ofPages, type PageFilter, pageParams } from './page-filter.ts'
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
  /** Of the whole range, and of all pages that were asked for. */
  totals: ViewCounts
  views: PageViews[]
  hasMore: boolean
}

export interface ViewsQuery {
  projectId: Id<'prj'>
  range: TimeRange
  ai: AiMeaning
  pages: PageFilter
  limit: number
  offset: number
}

export async function listViews(clickhouse: QueryClickhouse, query: ViewsQuery): Promise<ViewsPage> {
  const { projectId, range, ai, pages, limit, offset } = query
  const response = await clickhouse.query({
    // Totals by a window over all pages take a tenth longer (measured). As JSON they are none when a page has no rows (26.7,
    // tried); as lines they are always the last one, and a path in JSON has neither tabs nor line feeds.
    query: `
      SELECT toJSONString(path), sum(human) AS all_human, sum(ai) AS all_ai
      FROM (${sumsByPage(range, ai, pages)})
      GROUP BY path WITH TOTALS
      HAVING all_human + all_ai > 0
      ORDER BY all_human + all_ai DESC, path
      LIMIT {rows: UInt64} OFFSET {offset: UInt64}`,
    query_params: { project: projectId, rows: limit + 1, offset, ...pageParams(pages) },
    clickhouse_settings: readSettings,
    format: 'TabSeparatedRaw',
  })
  const lines = (await response.text()).trimEnd().split('\n')
  const totals = readLine(lines.pop())
  const rows = lines.filter((line) => line !== '').map(readLine)
  return {
    totals: { human: totals.human, ai: totals.ai, total: totals.total },
    views: rows.slice(0, limit),
    hasMore: rows.length > limit,
  }
}

/** Throws on what is none: ClickHouse may tell of an error in the middle of an answer. */
function readLine(line = ''): PageViews {
  const [, path, human, ai] = /^(".*")\t(\d+)\t(\d+)$/.exec(line) ?? []
  if (path === undefined) throw new Error(`ClickHouse answered ${line.slice(0, 200)}`)
  return { path: JSON.parse(path), human: Number(human), ai: Number(ai), total: Number(human) + Number(ai) }
}

/** Rows of path, human and ai, several to a path. */
export function sumsByPage(range: TimeRange, ai: AiMeaning, pages: PageFilter = {}): string {
  const { whole, rest: moments } = splitByDay(spanOf(range))
  const byMonth = whole.map(splitByMonth)
  const months = byMonth.flatMap((split) => split.whole)
  const days = byMonth.flatMap((split) => split.rest)
  const sums = (table: string, when: string) =>
    `SELECT path, human, ${summedAi(ai)} AS ai FROM ${table}
     WHERE project_id = {project: String} AND (${when}) AND ${ofPages(pages)}`
  const views = (when: string) =>
    `SELECT path, ${humanAndAi(ai)} FROM page_view
     WHERE project_id = {project: String} AND (${when}) AND ${ofPages(pages)} GROUP BY path`
  const parts = [
    months.length > 0 && sums('views_by_page_and_month', during('month', months, asDay)),
    days.length > 0 && sums('views_by_page_and_day', during('day', days, asDay)),
    moments.length > 0 && views(during('at', moments, asMoment)),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join(' UNION ALL ') : views('false')
}
