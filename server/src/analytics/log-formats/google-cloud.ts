/** Entries of Google Cloud Logging with an HTTP request: of load balancers, Cloud CDN and Cloud Run. */
import { asObject, parseTime, splitUrl, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readGoogleCloudEntry(entry: JsonEntry): ParsedLine {
  const request = asObject(entry.httpRequest)
  return toLoggedRequest({
    ...splitUrl(request.requestUrl),
    method: request.requestMethod,
    status: request.status,
    at: parseTime(entry.timestamp),
    userAgent: request.userAgent,
    requestId: entry.insertId,
  })
}
