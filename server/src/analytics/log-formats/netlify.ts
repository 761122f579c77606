/** Log drains of Netlify. Besides those of requests there are entries of functions, deploys and the firewall. */
import { parseTime, splitUrl, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readNetlifyEntry(entry: JsonEntry): ParsedLine {
  if (typeof entry.log_type !== 'string' || typeof entry.site_id !== 'string') return undefined
  if (entry.log_type !== 'traffic') return 'ignored'
  return toLoggedRequest({
    ...splitUrl(entry.url),
    method: entry.method,
    status: entry.status_code,
    at: parseTime(entry.timestamp),
    userAgent: entry.user_agent,
    requestId: entry.request_id,
  })
}
