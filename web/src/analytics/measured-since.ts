/** From which day on people and AI were looked at: before it there is no number, also within a range that has some. */
import type { ViewSources } from '@colophon/sdk'
import type { Day } from './zoned-days.ts'

export interface MeasuredSince {
  human: Day | undefined
  ai: Day | undefined
}

export const asMeasuredSince = ({ human, ai }: ViewSources['measuredSince']): MeasuredSince => ({
  human: human ?? undefined,
  ai: ai ?? undefined,
})

/** For a sum of both: since when there are both. */
export const bothSince = ({ human, ai }: MeasuredSince): Day | undefined =>
  human === undefined || ai === undefined ? undefined : human > ai ? human : ai

const maxStepMs = { hour: 3_600_000, day: 25 * 3_600_000, week: 169 * 3_600_000, month: 745 * 3_600_000 }

/** Whether all of a step was before anybody looked. */
export const isBefore = (at: string, interval: keyof typeof maxStepMs, since: Day | undefined): boolean =>
  since !== undefined && Date.parse(at) + maxStepMs[interval] <= Date.parse(since)
