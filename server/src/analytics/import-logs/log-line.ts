/** A line of an access log, as nginx and Apache (combined or common) and Caddy (JSON) write it. No address is ever read. */
import type { SeenRequest } from '../collect/sift-requests.ts'

export const logFormats = ['nginx', 'apache', 'caddy'] as const
export type LogFormat = (typeof logFormats)[number]

export interface LoggedRequest extends SeenRequest {
  at: Date
}

/** Undefined: the line tells of no request. */
export type ReadLogLine = (line: string) => LoggedRequest | undefined

/** Without a format each line shows by itself which it is. */
export function logLineReader(format: LogFormat | undefined): ReadLogLine {
  if (format === 'caddy') return readCaddyLine
  if (format !== undefined) return readCombinedLine
  return (line) => (line.startsWith('{') ? readCaddyLine(line) : readCombinedLine(line))
}

/**
 * What stands before the time is not looked at: Apache can put the site's name there, and a user's name may hold anything. Common
 * logs end after the size; of theirs nobody's user agent is known.
 */
const time = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "/
const afterTime = /((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?/y
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function readCombinedLine(line: string): LoggedRequest | undefined {
  const found = time.exec(line)
  if (!found) return undefined
  const [matched, day, monthName = '', year, clock, zoneHours, zoneMinutes] = found
  const month = String(months.indexOf(monthName) + 1).padStart(2, '0')
  const at = timeOf(`${year}-${month}-${day}T${clock}${zoneHours}:${zoneMinutes}`)
  afterTime.lastIndex = found.index + matched.length
  const [, request = '', status, userAgent = ''] = afterTime.exec(line) ?? []
  const [, method, path] = request.match(requestLine) ?? []
  if (!at || !method || !path || !status) return undefined
  return {
    method,
    path: unescaped(path),
    status: Number(status),
    userAgent: userAgent === '-' ? '' : unescaped(userAgent),
    accept: '',
    prefetch: false,
    at,
  }
}

const requestLine = /^([A-Z]{1,20}) (\S+)(?: HTTP\/[\d.]+)?$/

function readCaddyLine(line: string): LoggedRequest | undefined {
  const { ts, status, request } = (parseJson(line) ?? {}) as Partial<CaddyEntry>
  const at = typeof ts === 'number' ? timeOf(ts * 1000) : typeof ts === 'string' ? timeOf(ts) : undefined
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
  /** Seconds, or a text where so configured. */
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

const beforeTheWeb = Date.UTC(1990, 0)

function timeOf(text: string | number): Date | undefined {
  const at = new Date(text)
  return at.getTime() >= beforeTheWeb ? at : undefined
}

/** nginx writes every byte that is not plain ASCII as `\xHH`, Apache some; both quotes and backslashes with a backslash. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  const bytes = text.replace(/\\x([0-9A-Fa-f]{2})|\\(.)/g, (_all, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return wide.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}
const wide = /[\u0100-\uffff]/ // came as UTF-8 itself: its characters are no bytes
