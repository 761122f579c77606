/** Days of a time zone. A day is `YYYY-MM-DD`; when it begins, the zone says. */
export type Day = string

const dayMs = 86_400_000
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const)
  clocks.set(zone, clock)
  return clock
}

/** What a clock on the wall shows, as if it were UTC. */
function wallClockMs(at: Date, zone: string): number {
  const part = Object.fromEntries(
    clockOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

export const dayOf = (at: Date, zone: string): Day => new Date(wallClockMs(at, zone)).toISOString().slice(0, 10)

export const addDays = (day: Day, days: number): Day =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

/** The first look uses the offset of a moment some hours away; the second is on the right side of a change of clocks. */
export function startOfDay(day: Day, zone: string): Date {
  const wanted = Date.parse(day)
  let at = wanted
  for (const _look of ['first', 'second']) at = wanted - (wallClockMs(new Date(at), zone) - at)
  return new Date(at)
}

export function isTimeZone(zone: string): boolean {
  try {
    clockOf(zone)
    return true
  } catch {
    return false
  }
}

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(Date.parse(text)).toISOString().startsWith(text)
