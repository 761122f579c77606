/** The JSON of Traefik, which has headers only if it is configured to keep them. */
import { parseTime, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readTraefikEntry(entry: JsonEntry): ParsedLine {
  const { RequestPath: path } = entry
  return toLoggedRequest({
    method: entry.RequestMethod,
    path: typeof path === 'string' ? path : undefined,
    host: entry.RequestHost,
    status: entry.DownstreamStatus,
    at: parseTime(entry.StartUTC) ?? parseTime(entry.time),
    userAgent: entry['request_User-Agent'],
    accept: entry.request_Accept,
    secPurpose: entry['request_Sec-Purpose'],
  })
}
