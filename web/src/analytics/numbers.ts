import type { ViewsResult } from '@colophon/sdk'

export type Measured = ViewsResult['coverage']['human']

const whole = new Intl.NumberFormat('en')
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const written = (count: number): string => whole.format(count)
export const shortly = (count: number): string => short.format(count)

/** Of a whole, so that what is small is not said to be nothing, nor what is large to be all. */
export function percent(part: number, of: number): string {
  if (of === 0 || part === 0) return '0 %'
  if (part === of) return '100 %'
  const share = (part / of) * 100
  return share < 1 ? '< 1 %' : share > 99 ? '> 99 %' : `${Math.round(share)} %`
}

export interface Change {
  direction: 'up' | 'down' | 'same' | 'unknown'
  words: string
}

/** In words that stand before "than in … before". */
export function changeOf(now: number, before: number, measuredBefore: Measured): Change {
  if (measuredBefore === 'not_measured') return { direction: 'unknown', words: 'not measured' }
  if (now === before) return { direction: 'same', words: 'as many' }
  const direction = now > before ? 'up' : 'down'
  const word = now > before ? 'more' : 'fewer'
  const ratio = now / before
  if (before === 0) return { direction, words: `${written(now)} more` }
  if (ratio >= 3) return { direction, words: `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)} times as many` }
  return { direction, words: `${percent(Math.abs(now - before), before)} ${word}` }
}
