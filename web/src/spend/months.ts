const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

export const formatMonth = (month: string): string => monthFormat.format(new Date(`${month}-01T00:00:00Z`))

/** The current month (UTC) and those before it, like `2026-11`, newest first. */
export const listMonths = (now: Date, count: number): string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index)).toISOString().slice(0, 7),
  )

/** All days of the month, like `2026-11-30`. */
export function listDays(month: string): string[] {
  const [year = 0, number = 1] = month.split('-').map(Number)
  const count = new Date(Date.UTC(year, number, 0)).getUTCDate()
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`)
}
