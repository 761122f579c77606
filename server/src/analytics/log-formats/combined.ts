/** The combined and the common format of nginx, Apache, Fastly, HAProxy and Traefik, which have no host. */
import { parseTime, toLoggedRequest } from './log-fields.ts'
import type { ParsedLine } from './logged-request.ts'

/**
 * Ignores everything before the time: Apache can put the name of the site there, and a user name may contain anything. Lines in
 * the common format end after the size and have no user agent.
 */
const timeField = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)\] "/
const requestFields = /((?:[^"\\]|\\.)*)" (\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)")?/y
const requestLine = /^([A-Z]{1,20}) (\S+)(?: HTTP\/[\d.]+)?$/
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

export function readCombinedLine(line: string): ParsedLine {
  const timeMatch = timeField.exec(line)
  if (!timeMatch) return undefined
  const [matchedText, day, monthName = '', year, clock, zoneHours, zoneMinutes] = timeMatch
  const month = String(months.indexOf(monthName) + 1).padStart(2, '0')
  const at = parseTime(`${year}-${month}-${day}T${clock}${zoneHours}:${zoneMinutes}`)
  requestFields.lastIndex = timeMatch.index + matchedText.length
  const [, request = '', status, userAgent = ''] = requestFields.exec(line) ?? []
  const [, method, path] = request.match(requestLine) ?? []
  return toLoggedRequest({
    method,
    path: path && unescapeText(path),
    status,
    at,
    userAgent: unescapeText(userAgent),
  })
}

/** nginx writes every non-ASCII byte as `\xHH`, Apache only some. Both escape quotes and backslashes with a backslash. */
function unescapeText(text: string): string {
  if (!text.includes('\\')) return text
  const bytes = text.replace(/\\x([0-9A-Fa-f]{2})|\\(.)/g, (_match, hex: string | undefined, character: string) =>
    hex === undefined ? character : String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return nonLatin1.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
}
const nonLatin1 = /[\u0100-\uffff]/ // the log was UTF-8 itself: its characters are not bytes
