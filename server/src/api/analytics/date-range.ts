/** `dateFrom` and `dateTo` of every question about views. */
import Type from 'typebox'
import type { TimeRange } from '../../analytics/query/time-range.ts'
import { type FieldError, Problem } from '../../platform/http/problem.ts'

const moment =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:Z|([+ -])(\d{2}):?(\d{2})?)?)?$/i

const Moment = (description: string) =>
  Type.String({
    // With a space for a plus: that is what an offset becomes in a query that nobody encoded.
    pattern:
      '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])' +
      '([Tt]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.,][0-9]{1,9})?)?([Zz]|[+ -]([01][0-9]|2[0-3])(:?[0-5][0-9])?)?)?$',
    description,
  })

export const dateRangeQuery = {
  dateFrom: Type.Optional(
    Moment(
      'From this moment on: an ISO 8601 date-time, or a day as `YYYY-MM-DD`. Without a zone it is in UTC. Left out: from the first view.',
    ),
  ),
  dateTo: Type.Optional(Moment('Until just before this moment, which has to be later. Left out: until now.')),
}

export function readDateRange({ dateFrom, dateTo }: { dateFrom?: string; dateTo?: string }): TimeRange {
  const [from, to] = [dateFrom, dateTo].map((text) => (text === undefined ? undefined : readMoment(text)))
  const errors: FieldError[] = []
  if (from === null) errors.push({ path: 'query/dateFrom', message: 'is no day of the calendar' })
  if (to === null) errors.push({ path: 'query/dateTo', message: 'is no day of the calendar' })
  if (from && to && !isBefore(from, to)) errors.push({ path: 'query/dateTo', message: 'has to be later than dateFrom' })
  const [first] = errors
  if (first) throw new Problem('invalid_request', `${first.path} ${first.message}.`, { errors })
  return { from: from ? nextMillisecond(from) : undefined, to: to ? nextMillisecond(to) : undefined }
}

interface ExactMoment {
  secondMs: number
  fractionNs: number
}

const isBefore = (one: ExactMoment, other: ExactMoment) =>
  one.secondMs < other.secondMs || (one.secondMs === other.secondMs && one.fractionNs < other.fractionNs)

/** Views have milliseconds, so that a finer bound means the next one, on either side: two that are near are an empty range. */
const nextMillisecond = ({ secondMs, fractionNs }: ExactMoment) => new Date(secondMs + Math.ceil(fractionNs / 1e6))

/** Null: there is no such day. */
function readMoment(text: string): ExactMoment | null {
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '0', sign, zoneHours = 0, zoneMinutes = 0] =
    moment.exec(text) ?? []
  const at = new Date(0)
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day)) // Date.UTC takes the year 99 for 1999
  if (at.getUTCDate() !== Number(day)) return null
  const zoneMs = (sign === '-' ? -1 : 1) * (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000
  const intoDayMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000
  return { secondMs: at.getTime() + intoDayMs - zoneMs, fractionNs: Number(fraction.padEnd(9, '0')) }
}
