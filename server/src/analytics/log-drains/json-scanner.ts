/**
 * Finds the elements of a JSON text without parsing all of it: parsed at once, a body of 8 MiB of small values would take a hundred times
 * as much memory. Text between the elements is not validated.
 */

const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const newline = 0x0a
const isSpace = (code: number) => code === 0x20 || code === newline || code === 0x0d || code === 0x09

export interface TextRange {
  start: number
  end: number
}

export function skipSpaces(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++ // NaN at the end
  return at
}

/** The index after the value that begins at `start`. Undefined if it is not complete. */
export function findValueEnd(text: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = findStringEnd(text, at)
      if (end === undefined) return undefined
      at = end
    } else {
      if (code === openBrace || code === openBracket) depth++
      else if (code === closeBrace || code === closeBracket) depth--
      at++
    }
    if (depth < 0) return at - 1 // the end of what contains a number, true, false or null
    const next = text.charCodeAt(at)
    const endsHere = code === quote || code === closeBrace || code === closeBracket
    if (depth === 0 && (endsHere || next === comma || isSpace(next))) return at
  }
  return undefined
}

/** A string of JSON contains no line break, so that a broken line does not reach into the next one. */
function findStringEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) return at + 1
    if (code === backslash) at++
    else if (code === newline) return undefined
  }
  return undefined
}

/** Of the array that begins at `start`. A brace that closes nothing is the last element. */
export function* findElements(text: string, start: number): Iterable<TextRange> {
  let at = skipSpaces(text, start + 1)
  while (at < text.length && text.charCodeAt(at) !== closeBracket) {
    const end = findValueEnd(text, at) ?? at
    if (end === at) return yield { start: at, end: at + 1 }
    yield { start: at, end }
    at = skipSpaces(text, end)
    if (text.charCodeAt(at) === comma) at = skipSpaces(text, at + 1)
  }
}

/** The values of the object that begins at `start`, by name, as far as it is complete. */
export function findMembers(text: string, start: number): Map<string, TextRange> {
  const members = new Map<string, TextRange>()
  let at = skipSpaces(text, start + 1)
  while (text.charCodeAt(at) === quote && members.size < maxMembers) {
    const nameEnd = findStringEnd(text, at)
    if (nameEnd === undefined) break
    const name = text.slice(at + 1, nameEnd - 1)
    at = skipSpaces(text, nameEnd)
    if (text.charCodeAt(at) !== colon) break
    at = skipSpaces(text, at + 1)
    const end = findValueEnd(text, at)
    if (end === undefined) break
    members.set(name, { start: at, end })
    at = skipSpaces(text, end)
    if (text.charCodeAt(at) === comma) at = skipSpaces(text, at + 1)
  }
  return members
}

const maxMembers = 100
