/** The first days with coverage of human and AI views. Before them there are no counts, even in a range that has some. */
import type { ViewSources } from '@colophon/sdk'
import type { CalendarDay } from './zoned-days.ts'

export interface MeasuredSince {
  human: CalendarDay | undefined
  ai: CalendarDay | undefined
}

export const toMeasuredSince = ({ human, ai }: ViewSources['measuredSince']): MeasuredSince => ({
  human: human ?? undefined,
  ai: ai ?? undefined,
})

/** The first day with both, for the total. */
export const findFirstFullyMeasuredDay = ({ human, ai }: MeasuredSince): CalendarDay | undefined =>
  human === undefined || ai === undefined ? undefined : human > ai ? human : ai

const maxIntervalMs = { hour: 3_600_000, day: 25 * 3_600_000, week: 169 * 3_600_000, month: 745 * 3_600_000 }

/** Whether an interval ended before the first measured day. */
export const isBeforeMeasurement = (
  at: string,
  interval: keyof typeof maxIntervalMs,
  since: CalendarDay | undefined,
): boolean => since !== undefined && Date.parse(at) + maxIntervalMs[interval] <= Date.parse(since)
