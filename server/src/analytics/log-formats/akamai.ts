/** The JSON of Akamai DataStream 2, which leaves out fields without a value. */
import { asNumber, asText, decodePercent, parseEpoch, toLoggedRequest, withLeadingSlash } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

export function readAkamaiEntry(entry: JsonEntry): ParsedLine {
  if (entry.reqTimeSec === undefined) return undefined
  if ((asNumber(entry.isMidgress) ?? 0) !== 0) return 'ignored' // between servers of Akamai
  const query = asText(entry.queryStr)
  return toLoggedRequest({
    method: entry.reqMethod,
    path: withLeadingSlash(asText(entry.reqPath)) + (query && `?${query}`),
    host: entry.reqHost,
    status: entry.statusCode,
    at: parseEpoch(entry.reqTimeSec),
    userAgent: decodeFormText(asText(entry.UA)),
    requestId: entry.reqId,
  })
}

/** A space is encoded as `+`. A text with spaces is not encoded. */
const decodeFormText = (text: string) => (text.includes(' ') ? text : decodePercent(text.replaceAll('+', ' ')))
