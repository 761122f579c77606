/** Log drains of Vercel. Only entries of requests that Vercel's proxy served have `proxy`; the others are builds and output of functions. */
import { asNumber, asObject, asText, parseEpoch, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readVercelEntry(entry: JsonEntry): ParsedLine {
  if (typeof entry.deploymentId !== 'string' || typeof entry.projectId !== 'string') return undefined
  if (entry.proxy === undefined || entry.proxy === null) return 'ignored'
  const request = asObject(entry.proxy)
  const status = asNumber(request.statusCode)
  // A status of -1 is a page that Vercel has generated again in the background.
  if (status !== undefined && status < 0) return 'ignored'
  const { userAgent } = request
  return toLoggedRequest({
    method: request.method,
    path: asText(request.path),
    host: request.host,
    status,
    at: parseEpoch(request.timestamp),
    userAgent: Array.isArray(userAgent) ? userAgent[0] : userAgent,
    requestId: entry.requestId,
  })
}
