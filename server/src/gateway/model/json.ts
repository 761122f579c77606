/** What others send as JSON, before anything is known about it. */
export type Json = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined where there is no count: a provider's mistake must not become a number of ours. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

export function parseObject(text: string): Json | undefined {
  try {
    return objectOf(JSON.parse(text))
  } catch {
    return undefined
  }
}
