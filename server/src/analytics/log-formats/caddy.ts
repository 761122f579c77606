/** The JSON of Caddy. */
import { asObject, parseEpoch, parseTime, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readCaddyEntry({ ts, status, request: value }: JsonEntry): ParsedLine {
  const request = asObject(value)
  const headers = asObject(request.headers)
  const header = (name: string) => {
    const values = headers[name]
    return Array.isArray(values) ? values.filter((text) => typeof text === 'string').join(', ') : ''
  }
  return toLoggedRequest({
    method: request.method,
    path: typeof request.uri === 'string' ? request.uri : undefined,
    host: request.host,
    status,
    at: typeof ts === 'string' ? parseTime(ts) : parseEpoch(ts), // Caddy can be configured to write either
    userAgent: header('User-Agent'),
    accept: header('Accept'),
    secPurpose: header('Sec-Purpose'),
  })
}
