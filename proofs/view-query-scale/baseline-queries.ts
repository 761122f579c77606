/**
 * The baseline: hand-written queries against ClickHouse's tables for the same results, with the rows that each range needs
 * written by hand as well, in several variants of aggregation.
 */
import { pageCount } from './insert-views.ts'

export interface ViewsQuery {
  name: string
  dateFrom: string
  dateTo: string
  offset: number
  /** The most rows per page that a range like this can need. */
  maxRowsPerPage: number
  /** SQL conditions: the rows of the aggregate tables, and the single views, that make up the range. */
  months?: string
  days?: string
  moments?: string
}

export const pageLimit = 50
const offsetOfLastPage = pageCount - pageLimit

const fullYear = {
  dateFrom: '2025-10-01',
  dateTo: '2026-10-01',
  maxRowsPerPage: 12,
  months: "month >= '2025-10-01' AND month < '2026-10-01'",
}

export const fullYearFirstPageQuery: ViewsQuery = { name: 'full year, first page', ...fullYear, offset: 0 }

export const viewsQueries: readonly ViewsQuery[] = [
  fullYearFirstPageQuery,
  { name: 'full year, last page', ...fullYear, offset: offsetOfLastPage },
  {
    name: 'last 30 days',
    dateFrom: '2026-08-17',
    dateTo: '2026-09-16',
    offset: 0,
    maxRowsPerPage: 30,
    days: "day >= '2026-08-17' AND day < '2026-09-16'",
  },
  // Nearly the most single days, and parts of two more days, that a range can have.
  {
    name: 'irregular range',
    dateFrom: '2025-10-02T00:00:13.337Z',
    dateTo: '2026-09-29T23:59:41.719Z',
    offset: 0,
    maxRowsPerPage: 12 + 62,
    months: "month >= '2025-11-01' AND month < '2026-09-01'",
    days: "day >= '2025-10-03' AND day < '2025-11-01' OR day >= '2026-09-01' AND day < '2026-09-29'",
    moments: `at >= '2025-10-02 00:00:13.337' AND at < '2025-10-03 00:00:00.000'
      OR at >= '2026-09-29 00:00:00.000' AND at < '2026-09-29 23:59:41.719'`,
  },
]

const ai = 'assistant + ai_search + ai_training'
const isAi = "class IN ('assistant', 'ai-search', 'ai-training')"

/** SQL for rows of path, human and ai, several per path. */
function rowsQuery({ months, days, moments }: ViewsQuery, projectId: string, isPreaggregated: boolean): string {
  const sums = (table: string, when: string) => {
    const from = `FROM ${table} WHERE project_id = '${projectId}' AND (${when})`
    return isPreaggregated
      ? `SELECT path, sum(human) AS human, sum(${ai}) AS ai ${from} GROUP BY path`
      : `SELECT path, human, ${ai} AS ai ${from}`
  }
  const viewsFrom = `FROM page_view WHERE project_id = '${projectId}' AND (${moments})`
  return [
    months && sums('views_by_page_and_month', months),
    days && sums('views_by_page_and_day', days),
    moments &&
      (isPreaggregated
        ? `SELECT path, sumIf(views, class = 'human') AS human, sumIf(views, ${isAi}) AS ai ${viewsFrom} GROUP BY path`
        : `SELECT path, views * (class = 'human') AS human, views * (${isAi}) AS ai ${viewsFrom}`),
  ]
    .filter((part) => part !== undefined)
    .join(' UNION ALL ')
}

export interface BaselineQuery {
  /** Printed with its figures. */
  variant: string
  query: string
  format: 'JSONCompactEachRow' | 'JSONCompact'
}

/** One row more than a page has, to know whether there is another page. */
export function baselineQueries(viewsQuery: ViewsQuery, projectId: string): BaselineQuery[] {
  const page = `ORDER BY human + ai DESC, path LIMIT ${pageLimit + 1} OFFSET ${viewsQuery.offset}`
  const totalsVariants = (rows: string) => [
    {
      variant: 'totals by window function',
      format: 'JSONCompactEachRow' as const,
      query: `
        SELECT path, human, ai, sum(human) OVER () AS all_human, sum(ai) OVER () AS all_ai
        FROM (SELECT path, sum(human) AS human, sum(ai) AS ai FROM (${rows}) GROUP BY path)
        WHERE human + ai > 0 ${page}`,
    },
    {
      variant: 'WITH TOTALS',
      format: 'JSONCompact' as const,
      query: `
        SELECT path, sum(human) AS human, sum(ai) AS ai FROM (${rows})
        GROUP BY path WITH TOTALS HAVING human + ai > 0 ${page}`,
    },
  ]
  const multiThreaded = [false, true].flatMap((isPreaggregated) =>
    totalsVariants(rowsQuery(viewsQuery, projectId, isPreaggregated)).map((baseline) => ({
      ...baseline,
      variant: `${isPreaggregated ? 'each table aggregated first' : 'all rows at once'}, ${baseline.variant}`,
    })),
  )
  const singleThreaded = multiThreaded.map(({ variant, query, format }) => ({
    variant: `${variant}, single thread`,
    format,
    query: `${query} SETTINGS max_threads = 1`,
  }))
  return [...multiThreaded, ...singleThreaded]
}

/** Every page of the range in the order of the list, counted from the single views: slow, but the reference. */
export const exactCountQuery = ({ dateFrom, dateTo }: ViewsQuery, projectId: string) => `
  SELECT path, countIf(class = 'human') AS human, countIf(${isAi}) AS ai, human + ai AS total
  FROM page_view
  WHERE project_id = '${projectId}'
    AND at >= parseDateTime64BestEffort('${dateFrom}', 3, 'UTC') AND at < parseDateTime64BestEffort('${dateTo}', 3, 'UTC')
  GROUP BY path
  HAVING total > 0
  ORDER BY total DESC, path`
