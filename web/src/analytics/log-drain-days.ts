/** Summarizes what arrived at a log drain. */
import type { LogDrain } from '@colophon/sdk'

type Day = LogDrain['days'][number]

const shownDays = 30
/** Hosts cut off a line now and then. */
const maxUnreadableShare = 0.01
/** Some hosts check the URL with a line that is not a request. */
const maxLinesOfChecks = 5
const dayMs = 24 * 3600 * 1000

export interface LogDrainSummary {
  /** Of the last 30 days, or since the first logs arrived. */
  measuredDays: number
  expectedDays: number
  /** Newest first, without today. */
  missingDays: string[]
  today: Day | undefined
  /** Many lines of the last two days could not be read, or no request was for the host of the drain. */
  problem: 'unreadable' | 'other hosts' | undefined
}

export function summarizeDays(
  { days, firstEventAt }: Pick<LogDrain, 'days' | 'firstEventAt'>,
  now: Date,
): LogDrainSummary {
  const today = toDay(now.getTime())
  const earliest = Math.max(
    firstEventAt === null ? now.getTime() : Date.parse(firstEventAt),
    now.getTime() - (shownDays - 1) * dayMs,
  )
  const expected: string[] = []
  for (let at = Date.parse(today); at >= Date.parse(toDay(earliest)); at -= dayMs) expected.push(toDay(at))
  const measured = new Set(days.filter(hasRequests).map(({ day }) => day))
  const recent = days.filter(({ day }) => Date.parse(day) >= Date.parse(today) - dayMs)
  return {
    measuredDays: expected.filter((day) => measured.has(day)).length,
    expectedDays: expected.length,
    missingDays: expected.filter((day) => day !== today && !measured.has(day)),
    today: days.find(({ day }) => day === today),
    problem: findProblem(recent),
  }
}

function findProblem(days: readonly Day[]): LogDrainSummary['problem'] {
  const unreadable = sum(days.map((day) => day.unreadable))
  const readable = sum(days.map(({ counted, repeated, dropped, ignored }) => counted + repeated + dropped + ignored))
  if (unreadable > maxUnreadableShare * (unreadable + readable)) return 'unreadable'
  const ignored = sum(days.map((day) => day.ignored))
  return ignored > maxLinesOfChecks && !days.some(hasRequests) ? 'other hosts' : undefined
}

const hasRequests = ({ counted, repeated, dropped }: Day) => counted + repeated + dropped > 0

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
