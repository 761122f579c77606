/** A project's views over time, in steps as a time zone has them, without gaps. */

import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import { type AiMeaning, humanAndAi, summedAi } from './ai-meaning.ts'
import type { QueryClickhouse } from './clickhouse-reads.ts'
import { asDay, asMoment, asSecond, during } from './conditions.ts'
import type { ViewCounts } from './list-views.ts'
import { ofPages, pageParams } from './page-filter.ts'
import { readSettings } from './read-settings.ts'
import { quarterHourMs, type Span, spanOf, splitByDay, splitByQuarterHour, type TimeRange } from './time-range.ts'

export const timeSteps = ['quarter_hour', 'hour', 'day', 'week', 'month'] as const
export type TimeStep = (typeof timeSteps)[number]

export interface TimePoint extends ViewCounts {
  /** When the step begins, which may be before the range does. */
  at: Date
}

export interface TimeseriesQuery {
  projectId: Id<'prj'>
  range: TimeRange
  ai: AiMeaning
  step: TimeStep
  /** A name of the time zone database. */
  timeZone: string
  /** Of this page alone. */
  path?: string | undefined
}

/** The beginning of the step that a moment is in. Days, weeks (from Monday) and months begin at midnight of the zone. */
const beginningOf: Record<TimeStep, (moment: string) => string> = {
  quarter_hour: (moment) => `toStartOfFifteenMinutes(toDateTime(${moment}, {zone: String}))`,
  hour: (moment) => `toStartOfHour(toDateTime(${moment}, {zone: String}))`,
  day: (moment) => `toStartOfDay(toDateTime(${moment}, {zone: String}))`,
  week: (moment) => `toDateTime(toMonday(toDateTime(${moment}, {zone: String})), {zone: String})`,
  month: (moment) => `toDateTime(toStartOfMonth(toDateTime(${moment}, {zone: String})), {zone: String})`,
}

const maxPoints = 10_000

/** With the hour that a day has more when the clocks go back: what would be too many steps is not even counted. */
const maxStepMs: Record<TimeStep, number> = {
  quarter_hour: quarterHourMs,
  hour: 4 * quarterHourMs,
  day: 25 * 4 * quarterHourMs,
  week: (7 * 24 + 1) * 4 * quarterHourMs,
  month: (31 * 24 + 1) * 4 * quarterHourMs,
}

/** Empty where there is no view and no bound to say where to begin. */
export async function viewTimeseries(clickhouse: QueryClickhouse, query: TimeseriesQuery): Promise<TimePoint[]> {
  const { projectId, range, ai, step, timeZone, path } = query
  const span = spanOf(range)
  const spanMs = (Number.isFinite(span[1]) ? span[1] : Date.now()) - span[0]
  // Infinite where nobody says from when: then the views do.
  if (Number.isFinite(spanMs) && spanMs / maxStepMs[step] > maxPoints) throw tooManySteps()
  const { sums, rest } = path === undefined ? sumsOfAll(span, query) : sumsOfPage(span, query)
  const first = Number.isFinite(span[0])
    ? asSecond(Math.floor(span[0] / quarterHourMs) * quarterHourMs)
    : 'min(quarter_hour)'
  const end = Number.isFinite(span[1]) ? asSecond(Math.ceil(span[1] / 1000) * 1000) : 'now()'
  const response = await clickhouse.query({
    // Nothing, in every quarter of an hour, fills the gaps: which steps there are in a zone is ClickHouse's to know.
    query: `
      SELECT toUnixTimestamp(step) AS seconds, sum(human) AS human, sum(ai) AS ai, human + ai AS total
      FROM (
        ${sums}
        UNION ALL
        SELECT ${beginningOf[step]('at')} AS step, ${humanAndAi(ai)}
        FROM page_view
        WHERE project_id = {project: String} AND (${during('at', rest, asMoment)}) AND ${ofPages({ path })}
        GROUP BY step
        UNION ALL
        SELECT ${beginningOf[step]('moment')} AS step, 0 AS human, 0 AS ai
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
    query_params: { project: projectId, zone: timeZone, rows: maxPoints + 1, ...pageParams({ path }) },
    clickhouse_settings: readSettings,
    format: 'JSONEachRow',
  })
  const points = await response.json<ViewCounts & { seconds: number }>()
  if (points.length > maxPoints) throw tooManySteps()
  return points.map(({ seconds, ...counts }) => ({ at: new Date(seconds * 1000), ...counts }))
}

interface Summed {
  /** A query of step, human and ai. */
  sums: string
  /** What no sum has. */
  rest: Span[]
}

function sumsOfAll(span: Span, { step, ai }: TimeseriesQuery): Summed {
  const { whole, rest } = splitByQuarterHour(span)
  return {
    sums: `SELECT ${beginningOf[step]('quarter_hour')} AS step, human, ${summedAi(ai)} AS ai FROM views_by_quarter_hour
        WHERE project_id = {project: String} AND (${during('quarter_hour', whole, asSecond)})`,
    rest,
  }
}

const stepsOfDays: readonly TimeStep[] = ['day', 'week', 'month']

/** One page is summed by days of UTC alone: days of other zones, and what is shorter, are counted from the views themselves. */
function sumsOfPage(span: Span, { step, ai, timeZone, path }: TimeseriesQuery): Summed {
  const isOfDays = timeZone === 'UTC' && stepsOfDays.includes(step)
  const { whole, rest } = isOfDays ? splitByDay(span) : { whole: [], rest: [span] }
  return {
    sums: `SELECT ${beginningOf[step]('day')} AS step, human, ${summedAi(ai)} AS ai FROM views_by_page_and_day
        WHERE project_id = {project: String} AND (${during('day', whole, asDay)}) AND ${ofPages({ path })}`,
    rest,
  }
}

function tooManySteps(): Problem {
  const message = `makes more than ${maxPoints} steps of this range: ask for longer ones`
  return new Problem('invalid_request', `query/interval ${message}.`, { errors: [{ path: 'query/interval', message }] })
}
