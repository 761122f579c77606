/** One JSON object per request with the names of docs/views.md, for senders whose format can be chosen, such as Fastly and nginx. */
import { asText, parseEpoch, parseTime, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readJsonRequest(entry: JsonEntry): ParsedLine {
  const { at } = entry
  return toLoggedRequest({
    method: entry.method,
    path: asText(entry.path),
    host: entry.host,
    status: entry.status,
    at: typeof at === 'string' ? (parseTime(at) ?? parseEpoch(at)) : parseEpoch(at),
    userAgent: entry.userAgent,
    accept: entry.accept,
    secPurpose: entry.secPurpose,
    requestId: entry.id,
  })
}
