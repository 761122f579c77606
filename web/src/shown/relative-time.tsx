import { useEffect, useState } from 'react'

const steps = [
  [60, 'second', 1],
  [3600, 'minute', 60],
  [86_400, 'hour', 3600],
  [30 * 86_400, 'day', 86_400],
] as const

const relativeTime = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export function formatRelativeTime(at: Date, now: Date): string {
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  const step = steps.find(([below]) => Math.abs(seconds) < below)
  if (!step) return at.toLocaleDateString('en', { dateStyle: 'medium' })
  const [, unit, size] = step
  return Math.abs(seconds) < 10 ? 'just now' : relativeTime.format(Math.round(seconds / size), unit)
}

/** A time relative to now. The exact time is in the tooltip and in `dateTime`. */
export function RelativeTime({ at }: { at: string }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 15_000)
    return () => clearInterval(timer)
  }, [])
  const date = new Date(at)
  return (
    <time dateTime={at} title={date.toLocaleString()}>
      {formatRelativeTime(date, now)}
    </time>
  )
}
