/** The parameters `dateFrom` and `dateTo` of the routes that read views. */
import Type from 'typebox'
import type { TimeRange } from '../../analytics/query/time-range.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'

const moment =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(\d{2}):?(\d{2})?)?)?$/i

const Moment = (description: string, example: string) =>
  Type.String({
    // A space stands for a plus: in a query that is not encoded, the plus of an offset is read as a space.
    pattern:
      '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
      '([Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?([Zz]|[+ -]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$',
    description,
    examples: [example],
  })

export const dateRangeQueryFields = {
  dateFrom: Type.Optional(
    Moment(
      'Start of the range, inclusive: an ISO 8601 date-time, or a date as `YYYY-MM-DD`. Without a time zone it is in UTC. Defaults to the first view.',
      '2026-01-01',
    ),
  ),
  dateTo: Type.Optional(
    Moment(
      'End of the range, exclusive: an ISO 8601 date-time, or a date as `YYYY-MM-DD`. Without a time zone it is in UTC. It must be later than `dateFrom`. Defaults to now.',
      '2026-02-01',
    ),
  ),
}

export function parseDateRange({ dateFrom, dateTo }: { dateFrom?: string; dateTo?: string }): TimeRange {
  const [from, to] = [dateFrom, dateTo].map((text) => (text === undefined ? undefined : readMoment(text)))
  const errors: FieldError[] = []
  if (from === null) errors.push({ path: 'query/dateFrom', message: 'is not a valid date' })
  if (to === null) errors.push({ path: 'query/dateTo', message: 'is not a valid date' })
  if (from && to && !isBefore(from, to)) errors.push({ path: 'query/dateTo', message: 'must be later than dateFrom' })
  const [first] = errors
  if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
  return { from: from ? ceilToMillisecond(from) : undefined, to: to ? ceilToMillisecond(to) : undefined }
}

interface ExactMoment {
  secondMs: number
  fractionNs: number
}

const isBefore = (a: ExactMoment, b: ExactMoment) =>
  a.secondMs < b.secondMs || (a.secondMs === b.secondMs && a.fractionNs < b.fractionNs)

/** Views have millisecond precision, so both bounds are rounded up: two bounds within a millisecond are an empty range. */
const ceilToMillisecond = ({ secondMs, fractionNs }: ExactMoment) => new Date(secondMs + Math.ceil(fractionNs / 1e6))

/** Null if the date does not exist. */
function readMoment(text: string): ExactMoment | null {
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '0', sign, zoneHours = 0, zoneMinutes = 0] =
    moment.exec(text) ?? []
  const at = new Date(0)
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day)) // Date.UTC would read the year 99 as 1999
  if (at.getUTCDate() !== Number(day)) return null
  const zoneMs = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000
  const timeOfDayMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
  return { secondMs: at.getTime() + timeOfDayMs - zoneMs, fractionNs: Number(fraction.padEnd(9, '0')) }
}
