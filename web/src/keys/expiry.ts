/** How long a key is to last. */
export const expiries = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: 'date', label: 'Until a date' },
  { value: 'never', label: 'For ever' },
] as const
export type Expiry = (typeof expiries)[number]['value']

/** As the contract wants it. A date is its whole day, where whoever chose it is. */
export function expiresAtOf(expiry: Expiry, date: string, now: Date): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return new Date(`${date}T23:59:59`).toISOString()
  return new Date(now.getTime() + Number(expiry) * 24 * 3600 * 1000).toISOString()
}
