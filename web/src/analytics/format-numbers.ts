import type { ViewsResult } from '@colophon/sdk'

export type Coverage = ViewsResult['coverage']['human']

const exactFormat = new Intl.NumberFormat('en')
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export const formatCount = (count: number): string => exactFormat.format(count)
export const formatCompactCount = (count: number): string => compactFormat.format(count)

/** Never rounds a small share to 0% nor a large one to 100%. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0%'
  if (part === whole) return '100%'
  const share = (part / whole) * 100
  return share < 1 ? '<1%' : share > 99 ? '>99%' : `${Math.round(share)}%`
}

export interface CountChange {
  direction: 'up' | 'down' | 'same' | 'unknown'
  text: string
}

/** `text` is followed by the name of the previous period, for example "the previous 28 days". */
export function describeCountChange(count: number, previous: number, previousCoverage: Coverage): CountChange {
  if (previousCoverage === 'not_measured') return { direction: 'unknown', text: 'Not measured in' }
  if (count === previous) return { direction: 'same', text: 'Same as' }
  const direction = count > previous ? 'up' : 'down'
  const ratio = count / previous
  if (previous === 0) return { direction, text: `${formatCount(count)} more than` }
  if (ratio >= 3) return { direction, text: `${ratio >= 10 ? Math.round(ratio) : ratio.toFixed(1)} times` }
  return {
    direction,
    text: `${formatPercent(Math.abs(count - previous), previous)} ${direction === 'up' ? 'more' : 'less'} than`,
  }
}
