/** How long each step of a turn took, or takes up to now. */
import type { JobMessage } from '@colophon/sdk'

export interface StepTime {
  step: 'waited' | 'worked' | 'published'
  milliseconds: number
  isNow: boolean
}

export function stepTimesOf(message: JobMessage, now: Date): StepTime[] {
  const ended = timeOf(message.endedAt)
  const published = timeOf(message.publishingStartedAt)
  // A turn that no runner ever took up waited until its end.
  const claimed = timeOf(message.claimedAt) ?? published
  const steps = [
    { step: 'waited', from: Date.parse(message.createdAt), to: claimed ?? ended },
    { step: 'worked', from: claimed, to: published ?? ended },
    { step: 'published', from: published, to: ended },
  ] as const
  return steps.flatMap(({ step, from, to }) =>
    from === null
      ? []
      : [{ step, milliseconds: Math.max(0, (to ?? now.getTime()) - from), isNow: to === null && ended === null }],
  )
}

const timeOf = (at: string | null): number | null => (at === null ? null : Date.parse(at))

export function durationInWords(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1_000)
  if (seconds < 60) return milliseconds < 9_950 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
