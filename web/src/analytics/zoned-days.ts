/** A calendar day as `YYYY-MM-DD`. The time zone determines when it begins. */
export type CalendarDay = string

const dayMs = 86_400_000
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterFor(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone)
  if (cached) return cached
  const formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const)
  formatters.set(zone, formatter)
  return formatter
}

/** The local time of the zone, as if it were UTC. */
function localTimeMs(at: Date, zone: string): number {
  const fields = Object.fromEntries(
    formatterFor(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = fields
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

export const toCalendarDay = (at: Date, zone: string): CalendarDay =>
  new Date(localTimeMs(at, zone)).toISOString().slice(0, 10)

export const addDays = (day: CalendarDay, days: number): CalendarDay =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

export const daysBetween = (from: CalendarDay, to: CalendarDay): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

/** The first pass uses the offset of a moment some hours away. The second pass is on the right side of a DST change. */
export function startOfDay(day: CalendarDay, zone: string): Date {
  const localMs = Date.parse(day)
  let at = localMs
  for (const _pass of ['first', 'second']) at = localMs - (localTimeMs(new Date(at), zone) - at)
  return new Date(at)
}

export function isTimeZone(zone: string): boolean {
  try {
    formatterFor(zone)
    return true
  } catch {
    return false
  }
}

export const readBrowserTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const isCalendarDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(Date.parse(text)).toISOString().startsWith(text)
