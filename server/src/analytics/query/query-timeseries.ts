/** A project's views over time, in the steps of a time zone, without gaps. */

import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { type AiScope, buildAiSumSql, buildHumanAndAiColumnsSql } from './ai-scope.ts'
import type { ClickhouseQueryClient } from './clickhouse-query-limit.ts'
import type { ViewCounts } from './list-views.ts'
import { buildPageCondition, buildPageFilterParams } from './page-filter.ts'
import { clickhouseQuerySettings } from './query-settings.ts'
import {
  buildSpansCondition,
  formatDateLiteral,
  formatDateTime64Literal,
  formatDateTimeLiteral,
} from './time-conditions.ts'
import {
  type MillisecondSpan,
  quarterHourMs,
  splitByDay,
  splitByQuarterHour,
  type TimeRange,
  toMillisecondSpan,
} from './time-range.ts'

export const timeSteps = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const
export type TimeStep = (typeof timeSteps)[number]

export interface TimePoint extends ViewCounts {
  /** The beginning of the step, which may be before the beginning of the range. */
  at: Date
}

export interface TimeseriesQuery {
  projectId: Id<'prj'>
  range: TimeRange
  ai: AiScope
  step: TimeStep
  /** A name from the IANA time zone database. */
  timeZone: string
  /** Only this page. */
  path?: string | undefined
}

/** SQL for the beginning of the step that contains a moment. Days, weeks (from Monday) and months begin at local midnight. */
const stepStart: Record<TimeStep, (moment: string) => string> = {
  quarter_hour: (moment) => `toStartOfFifteenMinutes(toDateTime(${moment}, {zone: String}))`,
  hour: (moment) => `toStartOfHour(toDateTime(${moment}, {zone: String}))`,
  day: (moment) => `toStartOfDay(toDateTime(${moment}, {zone: String}))`,
  week: (moment) => `toDateTime(toMonday(toDateTime(${moment}, {zone: String})), {zone: String})`,
  month: (moment) => `toDateTime(toStartOfMonth(toDateTime(${moment}, {zone: String})), {zone: String})`,
}

const maxPoints = 10_000

/** Includes the additional hour of a day when clocks go back. Ranges with too many steps are rejected without a query. */
const maxStepMs: Record<TimeStep, number> = {
  quarter_hour: quarterHourMs,
  hour: 4 * quarterHourMs,
  day: 25 * 4 * quarterHourMs,
  week: (7 * 24 + 1) * 4 * quarterHourMs,
  month: (31 * 24 + 1) * 4 * quarterHourMs,
}

/** Empty if there are no views and the range has no beginning. */
export async function queryTimeseries(clickhouse: ClickhouseQueryClient, query: TimeseriesQuery): Promise<TimePoint[]> {
  const { projectId, range, ai, step, timeZone, path } = query
  const span = toMillisecondSpan(range)
  const spanMs = (Number.isFinite(span[1]) ? span[1] : Date.now()) - span[0]
  // Infinite if the range has no beginning: then the first view determines it.
  if (Number.isFinite(spanMs) && spanMs / maxStepMs[step] > maxPoints) throw tooManySteps()
  const { sums, remainder } = path === undefined ? sumAllPages(span, query) : sumOnePage(span, query)
  const first = Number.isFinite(span[0])
    ? formatDateTimeLiteral(Math.floor(span[0] / quarterHourMs) * quarterHourMs)
    : 'min(quarter_hour)'
  const end = Number.isFinite(span[1]) ? formatDateTimeLiteral(Math.ceil(span[1] / 1000) * 1000) : 'now()'
  const response = await clickhouse.query({
    // A zero for every quarter-hour fills the gaps, so that ClickHouse computes which steps there are in a time zone.
    query: `
      SELECT toUnixTimestamp(step) AS seconds, sum(human) AS human, sum(ai) AS ai, human + ai AS total
      FROM (
        ${sums}
        UNION ALL
        SELECT ${stepStart[step]('at')} AS step, ${buildHumanAndAiColumnsSql(ai)}
        FROM page_view
        WHERE project_id = {project: String} AND (${buildSpansCondition('at', remainder, formatDateTime64Literal)}) AND ${buildPageCondition({ path })}
        GROUP BY step
        UNION ALL
        SELECT ${stepStart[step]('moment')} AS step, 0 AS human, 0 AS ai
        FROM (
          SELECT arrayJoin(range(toUnixTimestamp(first), toUnixTimestamp(end), ${quarterHourMs / 1000})) AS moment
          FROM (
            SELECT ${first} AS first, ${end} AS end, count() AS quarter_hours FROM views_by_quarter_hour
            WHERE project_id = {project: String}
          )
          WHERE quarter_hours > 0 OR ${Number.isFinite(span[0])}
        )
      )
      GROUP BY step
      ORDER BY step
      LIMIT {rows: UInt64}`,
    query_params: { project: projectId, zone: timeZone, rows: maxPoints + 1, ...buildPageFilterParams({ path }) },
    clickhouse_settings: clickhouseQuerySettings,
    format: 'JSONEachRow',
  })
  const points = await response.json<ViewCounts & { seconds: number }>()
  if (points.length > maxPoints) throw tooManySteps()
  return points.map(({ seconds, ...counts }) => ({ at: new Date(seconds * 1000), ...counts }))
}

interface SumsQuery {
  /** SQL that selects step, human and ai. */
  sums: string
  /** Spans that are not in the sums. */
  remainder: MillisecondSpan[]
}

function sumAllPages(span: MillisecondSpan, { step, ai }: TimeseriesQuery): SumsQuery {
  const { wholeUnits, remainder } = splitByQuarterHour(span)
  return {
    sums: `SELECT ${stepStart[step]('quarter_hour')} AS step, human, ${buildAiSumSql(ai)} AS ai FROM views_by_quarter_hour
        WHERE project_id = {project: String} AND (${buildSpansCondition('quarter_hour', wholeUnits, formatDateTimeLiteral)})`,
    remainder,
  }
}

const stepsOfWholeDays: readonly TimeStep[] = ['day', 'week', 'month']

/** The sums of a single page are by UTC day only. Days of other zones and shorter steps are counted from the views. */
function sumOnePage(span: MillisecondSpan, { step, ai, timeZone, path }: TimeseriesQuery): SumsQuery {
  const canUseDays = timeZone === 'UTC' && stepsOfWholeDays.includes(step)
  const { wholeUnits, remainder } = canUseDays ? splitByDay(span) : { wholeUnits: [], remainder: [span] }
  return {
    sums: `SELECT ${stepStart[step]('day')} AS step, human, ${buildAiSumSql(ai)} AS ai FROM views_by_page_and_day
        WHERE project_id = {project: String} AND (${buildSpansCondition('day', wholeUnits, formatDateLiteral)}) AND ${buildPageCondition({ path })}`,
    remainder,
  }
}

function tooManySteps(): Problem {
  const message = `results in more than ${maxPoints} points for this range: request a longer interval or a shorter range`
  return new Problem('invalid_request', `query/interval ${message}.`, { errors: [{ path: 'query/interval', message }] })
}
