/** The access log of Azure Front Door and Azure CDN. */
import { asObject, asText, parseTime, splitUrl, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readAzureEntry(entry: JsonEntry): ParsedLine {
  const request = asObject(entry.properties)
  const parsed = toLoggedRequest({
    ...splitUrl(request.requestUri),
    method: request.httpMethod,
    status: request.httpStatusCode,
    at: parseTime(entry.time),
    userAgent: request.userAgent,
    requestId: request.trackingReference,
  })
  // With an origin shield, a request that is not in the cache has a second entry.
  const isFromShield = request.isReceivedFromClient === false || /^false$/i.test(asText(request.isReceivedFromClient))
  return parsed && isFromShield ? 'ignored' : parsed
}
