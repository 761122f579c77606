const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const numberFormat = new Intl.NumberFormat('en')
const usdFormat = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })

export const formatTokens = (amount: number): string => `${compactFormat.format(amount)} tokens`
export const formatNumber = (amount: number): string => numberFormat.format(amount)
export const formatUsd = (amount: number): string =>
  amount > 0 && amount < 0.005 ? 'less than $0.01' : usdFormat.format(amount)

/** US dollars per million tokens. A price can be less than a cent. */
export const formatPrice = (price: number | null): string =>
  price === null ? 'unknown price' : `$${numberFormat.format(price)}`

/** Width of a progress bar: at most 100, and at least 1 if anything is used. */
export function toProgressBarPercent(used: number, max: number): number {
  if (used <= 0) return 0
  return max <= 0 ? 100 : Math.max(1, Math.min(100, (used / max) * 100))
}

export const formatBytes = (bytes: number): string => {
  const [unit, size] = bytes >= 1024 ** 3 ? ['GB', 1024 ** 3] : bytes >= 1024 ** 2 ? ['MB', 1024 ** 2] : ['KB', 1024]
  return `${numberFormat.format(Math.round((bytes / size) * 10) / 10)} ${unit}`
}
