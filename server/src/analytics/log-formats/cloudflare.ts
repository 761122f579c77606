/** The data set `http_requests` of Cloudflare Logpush and Logpull. */
import { asNumber, asObject, parseEpoch, parseTime, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

/** All others are requests of Workers, health checks and the like, which come from Cloudflare itself. */
const visitorSources: readonly unknown[] = ['eyeball', 'orangeToOrange', 'unknown', undefined]

export function readCloudflareEntry(entry: JsonEntry): ParsedLine {
  // What Logpush uploads to check the URL.
  if (typeof entry.content === 'string' && Object.keys(entry).length === 1) return 'ignored'
  const { ClientRequestURI: path, EdgeStartTimestamp: time } = entry
  const headers = asObject(entry.RequestHeaders) // only those that the job of Logpush names
  const parsed = toLoggedRequest({
    method: entry.ClientRequestMethod,
    path: typeof path === 'string' ? path : undefined,
    host: entry.ClientRequestHost,
    status: entry.EdgeResponseStatus,
    at: asNumber(time) === undefined ? parseTime(time) : parseEpoch(time), // the job of Logpush chooses
    userAgent: entry.ClientRequestUserAgent,
    accept: headers.accept,
    secPurpose: headers['sec-purpose'],
    requestId: entry.RayID,
  })
  return parsed && !visitorSources.includes(entry.ClientRequestSource) ? 'ignored' : parsed
}
