/** Values of fields in access logs, which may be missing or of another type. */
import type { JsonEntry, LoggedRequest } from './logged-request.ts'

export const asObject = (value: unknown): JsonEntry =>
  typeof value === 'object' && value !== null ? (value as JsonEntry) : {}

/** Many formats write a missing value as a hyphen. */
export const asText = (value: unknown): string => (typeof value === 'string' && value !== '-' ? value : '')

/** Undefined if it is not a number. Some formats write numbers as text. */
export function asNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Keeps the path as it was sent, with its query: `URL` would change it. A URL without a host is a path. */
export function splitUrl(value: unknown): { host: string | undefined; path: string | undefined } {
  const url = asText(value)
  if (url.startsWith('/')) return { host: undefined, path: url }
  const [, host, path = ''] = /^https?:\/\/([^/?#]+)([^#]*)/i.exec(url) ?? []
  return { host, path: host === undefined ? undefined : withLeadingSlash(path) }
}

export const withLeadingSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`)

/** Undefined if it is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const earliestMs = Date.UTC(1990, 0)
const zone = /(?:Z|[+-]\d\d:?\d\d)$/i

/** Undefined if it is not a time. A number is milliseconds. A text without a zone could mean any. */
export function parseTime(value: unknown): Date | undefined {
  if (typeof value !== 'number' && !(typeof value === 'string' && zone.test(value))) return undefined
  const at = new Date(value)
  return at.getTime() >= earliestMs ? at : undefined
}

const maxSeconds = 1e11
const maxMilliseconds = 1e14
const maxMicroseconds = 1e17

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, as the sender chose: times in logs differ by their size. */
export function parseEpoch(value: unknown): Date | undefined {
  const number = asNumber(value)
  if (number === undefined) return undefined
  if (number < maxSeconds) return parseTime(number * 1000)
  if (number < maxMilliseconds) return parseTime(number)
  return parseTime(Math.floor(number < maxMicroseconds ? number / 1e3 : number / 1e6))
}

/** Decodes what a log has percent-encoded. What is not valid stays as it is. */
export function decodePercent(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** What a format says about a request, as it is in the log. */
export interface LoggedFields {
  method: unknown
  /** As in the request line. */
  path: string | undefined
  host?: unknown
  status: unknown
  at: Date | undefined
  userAgent?: unknown
  accept?: unknown
  secPurpose?: unknown
  requestId?: unknown
}

/** Undefined if a field that every request has is missing or not valid. */
export function toLoggedRequest(fields: LoggedFields): LoggedRequest | undefined {
  const { path, at } = fields
  const method = asText(fields.method)
  const status = asNumber(fields.status)
  if (!method || !path || status === undefined || !at) return undefined
  return {
    method,
    path,
    status,
    userAgent: asText(fields.userAgent),
    accept: asText(fields.accept),
    prefetch: asText(fields.secPurpose).includes('prefetch') || isNextFetch(path),
    at,
    host: toHost(fields.host),
    requestId: asText(fields.requestId) || undefined,
  }
}

/**
 * Next.js fetches pages with this parameter, most of them in advance. What tells these apart is in a header that no log has, so none of
 * them is counted.
 */
const isNextFetch = (path: string) => /[?&]_rsc=/.test(path)

/** Of `docs.example.com:443`. */
const toHost = (value: unknown): string | undefined => asText(value).toLowerCase().replace(/:\d+$/, '') || undefined
