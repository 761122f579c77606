/** Parses a line of an access log of nginx, Apache (combined or common format) or Caddy (JSON). Never reads IP addresses. */
import type { ObservedRequest } from '../collect/classify-requests.ts'

export const logFormats = ['nginx', 'apache', 'caddy'] as const
export type LogFormat = (typeof logFormats)[number]

export interface LoggedRequest extends ObservedRequest {
  at: Date
}

/** Returns undefined if the line is not a request. */
export type ParseLogLine = (line: string) => LoggedRequest | undefined

/** Without a format, detects it for each line. */
export function createLogLineParser(format: LogFormat | undefined): ParseLogLine {
  if (format === 'caddy') return readCaddyLine
  if (format !== undefined) return readCombinedLine
  return (line) => (line.startsWith('{') ? readCaddyLine(line) : readCombinedLine(line))
}

/**
 * Ignores everything before the time: Apache can put the name of the site there, and a user name may contain anything. Lines in
 * the common format end after the size and have no user agent.
 */
const timeField = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "/
const requestFields = /((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?/y
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function readCombinedLine(line: string): LoggedRequest | undefined {
  const timeMatch = timeField.exec(line)
  if (!timeMatch) return undefined
  const [matchedText, day, monthName = '', year, clock, zoneHours, zoneMinutes] = timeMatch
  const month = String(months.indexOf(monthName) + 1).padStart(2, '0')
  const at = parseTime(`${year}-${month}-${day}T${clock}${zoneHours}:${zoneMinutes}`)
  requestFields.lastIndex = timeMatch.index + matchedText.length
  const [, request = '', status, userAgent = ''] = requestFields.exec(line) ?? []
  const [, method, path] = request.match(requestLine) ?? []
  if (!at || !method || !path || !status) return undefined
  return {
    method,
    path: unescapeText(path),
    status: Number(status),
    userAgent: userAgent === '-' ? '' : unescapeText(userAgent),
    accept: '',
    prefetch: false,
    at,
  }
}

const requestLine = /^([A-Z]{1,20}) (\S+)(?: HTTP\/[\d.]+)?$/

function readCaddyLine(line: string): LoggedRequest | undefined {
  const { ts, status, request } = (parseJson(line) ?? {}) as Partial<CaddyEntry>
  const at = typeof ts === 'number' ? parseTime(ts * 1000) : typeof ts === 'string' ? parseTime(ts) : undefined
  if (!at || typeof status !== 'number' || typeof request?.method !== 'string' || typeof request.uri !== 'string')
    return undefined
  const header = (name: string) => {
    const value: unknown = request.headers?.[name]
    return Array.isArray(value) ? value.join(', ') : ''
  }
  return {
    method: request.method,
    path: request.uri,
    status,
    userAgent: header('User-Agent'),
    accept: header('Accept'),
    prefetch: header('Sec-Purpose').includes('prefetch'),
    at,
  }
}

interface CaddyEntry {
  /** Seconds since the epoch, or a string if so configured. */
  ts: unknown
  status: unknown
  request: { method?: unknown; uri?: unknown; headers?: Record<string, unknown> }
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const earliestMs = Date.UTC(1990, 0)

function parseTime(text: string | number): Date | undefined {
  const at = new Date(text)
  return at.getTime() >= earliestMs ? at : undefined
}

/** nginx writes every non-ASCII byte as `\xHH`, Apache only some. Both escape quotes and backslashes with a backslash. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text
  const bytes = text.replace(/\\x([0-9A-Fa-f]{2})|\\(.)/g, (_match, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return nonLatin1.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}
const nonLatin1 = /[\u0100-\uffff]/ // the log was UTF-8 itself: its characters are not bytes
