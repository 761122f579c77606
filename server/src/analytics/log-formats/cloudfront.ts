/** Standard logs of Amazon CloudFront: tab-separated (W3C), or JSON with the same names (version 2). */
import { asText, decodePercent, parseEpoch, parseTime, toLoggedRequest } from './log-fields.ts'
import type { JsonEntry, ParsedLine } from './logged-request.ts'

/** Those of a file without a header. */
const standardFields =
  'date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query ' +
  'cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for ssl-protocol ' +
  'ssl-cipher x-edge-response-result-type cs-protocol-version fle-status fle-encrypted-fields c-port time-to-first-byte ' +
  'x-edge-detailed-result-type sc-content-type sc-content-len sc-range-start sc-range-end'

const readFields = [
  'date',
  'time',
  'timestamp',
  'timestamp(ms)',
  'cs-method',
  'cs(Host)',
  'cs-uri-stem',
  'sc-status',
  'cs(User-Agent)',
  'cs-uri-query',
  'x-edge-request-id',
  'x-host-header',
] as const

const line = /^(?:\d{4}-\d\d-\d\d\t\d\d:\d\d:\d\d|\d{10,13})\t/
const headerStart = '#Fields:'
const maxHeaderCharacters = 4_000

/** For one file, because its header names the fields. Lines that begin with `#` are ignored, whatever they are. */
export function createCloudfrontReader(): (text: string) => ParsedLine {
  let columns = findColumns(standardFields)
  return (text) => {
    if (text.startsWith('#')) {
      if (text.startsWith(headerStart) && text.length <= maxHeaderCharacters)
        columns = findColumns(text.slice(headerStart.length))
      return 'ignored'
    }
    if (!line.test(text)) return undefined
    const values = text.split('\t')
    return readCloudfrontEntry(Object.fromEntries(columns.map(([name, index]) => [name, values[index]])))
  }
}

/** Once per header: a sender could name any number of fields, and looking them up for each line would take hours. */
function findColumns(header: string): readonly [name: string, index: number][] {
  const names = header.trim().split(/\s+/)
  return readFields.map((name): [string, number] => [name, names.indexOf(name)]).filter(([, index]) => index !== -1)
}

export function readCloudfrontEntry(entry: JsonEntry): ParsedLine {
  const stem = asText(entry['cs-uri-stem'])
  const query = asText(entry['cs-uri-query'])
  return toLoggedRequest({
    method: entry['cs-method'],
    // CloudFront percent-encodes what the client sent, including its percent signs.
    path: stem && decodePercent(stem) + (query && `?${query}`),
    host: asText(entry['x-host-header']) || entry['cs(Host)'],
    status: entry['sc-status'],
    at: readTime(entry),
    userAgent: decodePercent(asText(entry['cs(User-Agent)'])),
    requestId: entry['x-edge-request-id'],
  })
}

const readTime = (entry: JsonEntry): Date | undefined =>
  parseTime(`${asText(entry.date)}T${asText(entry.time)}Z`) ??
  parseEpoch(entry['timestamp(ms)']) ??
  parseEpoch(entry.timestamp)
