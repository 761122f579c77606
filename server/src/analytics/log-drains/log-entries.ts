/** The entries in the body of a delivery of logs, however the host has wrapped them. */
import { parseJson } from '../log-formats/log-fields.ts'
import { findElements, findMembers, findValueEnd, skipSpaces, type TextRange } from './json-scanner.ts'

export interface DeliveredLogs {
  /**
   * Lines of text, or the text of JSON values. One at a time: all of them would take many times the memory of the body. An empty text is
   * nothing to count, such as a blank line or the start of an array: it gives the reader a chance to serve other requests.
   */
  entries: Iterable<string>
  /** What was delivered, without what changes when it is delivered again. */
  payload: string
}

/**
 * - Lines of text or of JSON.
 * - A JSON array of entries: Vercel, Netlify, Fastly, Vector.
 * - `{"records": […]}` of entries: Azure. From Event Hubs, several of these in an array or as lines.
 * - `{"requestId": …, "records": [{"data": …}]}`, with lines in Base64: Amazon Data Firehose, for CloudFront.
 * - `{"message": {"data": …}}`, with one entry in Base64: Google Cloud Pub/Sub.
 *
 * Undefined if a body that wraps entries is cut off. A line that is cut off is unreadable, and does not keep the others from being
 * counted: the host would repeat them forever.
 */
export function readDeliveredLogs(body: string): DeliveredLogs | undefined {
  const start = skipSpaces(body, body.startsWith(byteOrderMark) ? 1 : 0)
  if (startsJsonArray.test(body.slice(start, start + maxStartCharacters))) return readArrays(body, start)
  if (body.charAt(start) !== '{') return ofLines(body)
  const end = findValueEnd(body, start)
  if (end === undefined)
    return startsWrapper.test(body.slice(start, start + maxStartCharacters)) ? undefined : ofLines(body)
  return skipSpaces(body, end) < body.length ? ofLines(body) : readObject(body, { start, end })
}

const byteOrderMark = '\uFEFF'
const maxStartCharacters = 2_000
/** The lines of some logs begin with a time in brackets. */
const startsJsonArray = /^\[\s*(?:[{"\]]|$)/
/** What the wrappers have before their entries are texts and numbers, in contrast to an entry that was cut off. */
const startsWrapper = /^\{\s*(?:"\w+"\s*:\s*(?:"[^"\\\n]*"|\d+)\s*,\s*)*"(?:records"\s*:\s*\[|message"\s*:\s*\{)/

function ofLines(body: string): DeliveredLogs {
  return { entries: flatten(linesOf(body)), payload: body }
}

/** One array, or several after each other. */
function readArrays(body: string, start: number): DeliveredLogs | undefined {
  for (const { end } of findArrays(body, start)) if (end === undefined) return undefined
  const elements = function* () {
    let endOfArrays = start
    for (const { at, end = body.length } of findArrays(body, start)) {
      yield ''
      yield* elementsOf(body, at)
      endOfArrays = end
    }
    yield* linesOf(body.slice(endOfArrays))
  }
  return { entries: flatten(elements()), payload: body }
}

/** `end`: undefined if the array is cut off. */
function* findArrays(body: string, start: number): Iterable<{ at: number; end: number | undefined }> {
  for (let at = start; body.charAt(at) === '['; ) {
    const end = findValueEnd(body, at)
    yield { at, end }
    if (end === undefined) return
    at = skipSpaces(body, end)
  }
}

function readObject(body: string, { start, end }: TextRange): DeliveredLogs {
  const members = findMembers(body, start)
  const textOf = (range: TextRange | undefined) => (range ? body.slice(range.start, range.end) : '')
  const records = members.get('records')
  if (records && body.charAt(records.start) === '[') {
    const entries = members.has('requestId')
      ? linesInBase64(elementsOf(body, records.start))
      : flatten(elementsOf(body, records.start))
    return { entries, payload: textOf(records) }
  }
  const message = textOf(members.get('message'))
  if (message.startsWith('{')) return { entries: flatten(linesInBase64([message])), payload: message }
  return { entries: flatten([body.slice(start, end)]), payload: body }
}

function* elementsOf(text: string, arrayStart: number): Iterable<string> {
  for (const { start, end } of findElements(text, arrayStart)) {
    const element = text.slice(start, end)
    const line = element.startsWith('"') ? parseJson(element) : element
    yield typeof line === 'string' ? line : element
  }
}

function* linesInBase64(wrappers: Iterable<string>): Iterable<string> {
  for (const wrapper of wrappers) {
    yield ''
    const data = readTextMember(wrapper, 'data')
    if (data === undefined) yield wrapper
    else yield* linesOf(Buffer.from(data, 'base64').toString())
  }
}

/** Parses only the member: a wrapper can have others of any size. */
function readTextMember(object: string, name: string): string | undefined {
  const range = findMembers(object, 0).get(name)
  const value =
    range && object.charAt(range.start) === '"' ? parseJson(object.slice(range.start, range.end)) : undefined
  return typeof value === 'string' ? value : undefined
}

/** Azure's records can themselves be entries. */
function* flatten(entries: Iterable<string>): Iterable<string> {
  for (const entry of entries) {
    const records = startsRecords.test(entry.slice(0, maxStartCharacters))
      ? findMembers(entry, 0).get('records')
      : undefined
    if (!records) yield entry
    else {
      yield ''
      yield* elementsOf(entry, records.start)
    }
  }
}
const startsRecords = /^\{\s*"records"\s*:\s*\[/

function* linesOf(text: string): Iterable<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    yield* splitObjects(text.slice(start, end).trim())
    start = end + 1
  }
}

/** Some senders write objects without anything between them. */
function* splitObjects(line: string): Iterable<string> {
  if (!line.startsWith('{') || !betweenObjects.test(line)) return yield line
  for (let start = 0; start < line.length; ) {
    const end = findValueEnd(line, start) ?? line.length
    yield line.slice(start, end)
    start = skipSpaces(line, Math.max(end, start + 1))
  }
}
const betweenObjects = /\}\s*\{/
