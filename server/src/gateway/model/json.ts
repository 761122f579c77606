/** A JSON object from outside, not validated yet. */
export type JsonObject = Readonly<Record<string, unknown>>

export const toJsonObject = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

export const toStringOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Undefined if the value is not a valid count: a provider's error must not become a number of ours. */
export const toNonNegativeInteger = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    return toJsonObject(JSON.parse(text))
  } catch {
    return undefined
  }
}
