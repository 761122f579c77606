/**
 * The same answers by hand, straight from ClickHouse's tables: which rows of which table each range needs is written here by
 * hand too, and in every way that we could think of to add them up.
 */
import { pageCount } from './made-views.ts'

export interface Question {
  name: string
  dateFrom: string
  dateTo: string
  offset: number
  /** How many sums of each page a range like this can need. */
  sumsOfPage: number
  /** Conditions: which rows of the tables of sums make up the range, and which views. */
  months?: string
  days?: string
  moments?: string
}

export const pageLimit = 50
const offsetOfLastPage = pageCount - pageLimit

const wholeYear = {
  dateFrom: '2025-10-01',
  dateTo: '2026-10-01',
  sumsOfPage: 12,
  months: "month >= '2025-10-01' AND month < '2026-10-01'",
}

export const firstPage: Question = { name: "the year's first page", ...wholeYear, offset: 0 }

export const questions: readonly Question[] = [
  firstPage,
  { name: "the year's last page", ...wholeYear, offset: offsetOfLastPage },
  {
    name: 'the last 30 days',
    dateFrom: '2026-08-17',
    dateTo: '2026-09-16',
    offset: 0,
    sumsOfPage: 30,
    days: "day >= '2026-08-17' AND day < '2026-09-16'",
  },
  // Nearly as many single days, and as much of two days more, as a range can have.
  {
    name: 'an odd range',
    dateFrom: '2025-10-02T00:00:13.337Z',
    dateTo: '2026-09-29T23:59:41.719Z',
    offset: 0,
    sumsOfPage: 12 + 62,
    months: "month >= '2025-11-01' AND month < '2026-09-01'",
    days: "day >= '2025-10-03' AND day < '2025-11-01' OR day >= '2026-09-01' AND day < '2026-09-29'",
    moments: `at >= '2025-10-02 00:00:13.337' AND at < '2025-10-03 00:00:00.000'
      OR at >= '2026-09-29 00:00:00.000' AND at < '2026-09-29 23:59:41.719'`,
  },
]

const ai = 'assistant + ai_search + ai_training'
const isAi = "class IN ('assistant', 'ai-search', 'ai-training')"

/** Rows of path, human and ai, several to a path. */
function rowsOf({ months, days, moments }: Question, projectId: string, summed: boolean): string {
  const sums = (table: string, when: string) => {
    const from = `FROM ${table} WHERE project_id = '${projectId}' AND (${when})`
    return summed
      ? `SELECT path, sum(human) AS human, sum(${ai}) AS ai ${from} GROUP BY path`
      : `SELECT path, human, ${ai} AS ai ${from}`
  }
  const viewsFrom = `FROM page_view WHERE project_id = '${projectId}' AND (${moments})`
  return [
    months && sums('views_by_page_and_month', months),
    days && sums('views_by_page_and_day', days),
    moments &&
      (summed
        ? `SELECT path, sumIf(views, class = 'human') AS human, sumIf(views, ${isAi}) AS ai ${viewsFrom} GROUP BY path`
        : `SELECT path, views * (class = 'human') AS human, views * (${isAi}) AS ai ${viewsFrom}`),
  ]
    .filter((part) => part !== undefined)
    .join(' UNION ALL ')
}

export interface BareQuery {
  /** Told with its figures. */
  way: string
  query: string
  format: 'JSONCompactEachRow' | 'JSONCompact'
}

/** One row more than a page has, as it has to be told whether there is another. */
export function bareQueries(question: Question, projectId: string): BareQuery[] {
  const page = `ORDER BY human + ai DESC, path LIMIT ${pageLimit + 1} OFFSET ${question.offset}`
  const ofSums = (rows: string) => [
    {
      way: 'totals by a window',
      format: 'JSONCompactEachRow' as const,
      query: `
        SELECT path, human, ai, sum(human) OVER () AS all_human, sum(ai) OVER () AS all_ai
        FROM (SELECT path, sum(human) AS human, sum(ai) AS ai FROM (${rows}) GROUP BY path)
        WHERE human + ai > 0 ${page}`,
    },
    {
      way: 'WITH TOTALS',
      format: 'JSONCompact' as const,
      query: `
        SELECT path, sum(human) AS human, sum(ai) AS ai FROM (${rows})
        GROUP BY path WITH TOTALS HAVING human + ai > 0 ${page}`,
    },
  ]
  const inTwoWays = [false, true].flatMap((summed) =>
    ofSums(rowsOf(question, projectId, summed)).map((bare) => ({
      ...bare,
      way: `${summed ? 'each table by itself first' : 'all rows at once'}, ${bare.way}`,
    })),
  )
  const onOneThread = inTwoWays.map(({ way, query, format }) => ({
    way: `${way}, one thread`,
    format,
    query: `${query} SETTINGS max_threads = 1`,
  }))
  return [...inTwoWays, ...onOneThread]
}

/** From the views alone, however many there are: slow, and beyond doubt. Every page of the range, in the order of a list. */
export const countedQuery = ({ dateFrom, dateTo }: Question, projectId: string) => `
  SELECT path, countIf(class = 'human') AS human, countIf(${isAi}) AS ai, human + ai AS total
  FROM page_view
  WHERE project_id = '${projectId}'
    AND at >= parseDateTime64BestEffort('${dateFrom}', 3, 'UTC') AND at < parseDateTime64BestEffort('${dateTo}', 3, 'UTC')
  GROUP BY path
  HAVING total > 0
  ORDER BY total DESC, path`
