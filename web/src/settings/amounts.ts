const tokens = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })

export const tokensInWords = (amount: number): string => `${tokens.format(amount)} tokens`
export const wholeNumber = (amount: number): string => whole.format(amount)
export const usdInWords = (amount: number): string =>
  amount > 0 && amount < 0.005 ? 'less than $0.01' : dollars.format(amount)

/** US dollars per million tokens; prices may be below a cent. */
export const priceInWords = (price: number | null): string =>
  price === null ? 'price not known' : `$${whole.format(price)}`

/** For a bar: never above full, and something where there is something. */
export function shareOf(used: number, most: number): number {
  if (used <= 0) return 0
  return most <= 0 ? 100 : Math.max(1, Math.min(100, (used / most) * 100))
}

export const bytesInWords = (bytes: number): string => {
  const [unit, size] = bytes >= 1024 ** 3 ? ['GB', 1024 ** 3] : bytes >= 1024 ** 2 ? ['MB', 1024 ** 2] : ['KB', 1024]
  return `${whole.format(Math.round((bytes / size) * 10) / 10)} ${unit}`
}
