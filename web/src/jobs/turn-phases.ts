/** How long each phase of a turn took, or has taken so far. */
import type { JobMessage } from '@colophon/sdk'

export interface TurnPhase {
  phase: 'waited' | 'worked' | 'published'
  durationMs: number
  isCurrent: boolean
}

export function toTurnPhases(message: JobMessage, now: Date): TurnPhase[] {
  const endedAt = parseTime(message.endedAt)
  const publishingStartedAt = parseTime(message.publishingStartedAt)
  // A turn that no runner claimed waited until its end.
  const claimedAt = parseTime(message.claimedAt) ?? publishingStartedAt
  const phases = [
    { phase: 'waited', from: Date.parse(message.createdAt), to: claimedAt ?? endedAt },
    { phase: 'worked', from: claimedAt, to: publishingStartedAt ?? endedAt },
    // A turn whose result was approved is queued again, with the time at which the result was held.
    { phase: 'published', from: message.status === 'queued' ? null : publishingStartedAt, to: endedAt },
  ] as const
  return phases.flatMap(({ phase, from, to }) =>
    from === null
      ? []
      : [{ phase, durationMs: Math.max(0, (to ?? now.getTime()) - from), isCurrent: to === null && endedAt === null }],
  )
}

const parseTime = (at: string | null): number | null => (at === null ? null : Date.parse(at))

export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1_000)
  if (seconds < 60) return milliseconds < 9_950 ? `${(milliseconds / 1_000).toFixed(1)} s` : `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
}
