export const expiryOptions = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In one year' },
  { value: 'date', label: 'On a date' },
  { value: 'never', label: 'Never' },
] as const
export type ExpiryOption = (typeof expiryOptions)[number]['value']

/** `expiresAt` of the API. A key that expires on a date is valid through that day, in the time zone of the browser. */
export function toExpiresAt(expiry: ExpiryOption, date: string, now: Date): string | null {
  if (expiry === 'never') return null
  if (expiry === 'date') return new Date(`${date}T23:59:59`).toISOString()
  return new Date(now.getTime() + Number(expiry) * 24 * 3600 * 1000).toISOString()
}
