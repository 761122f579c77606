/** Active content: what a build or a reader's browser executes, or what reads something outside of the page. */
import { createHash } from 'node:crypto'

export type ActiveContentKind =
  | 'import'
  | 'export'
  | 'expression'
  | 'attribute'
  | 'component'
  | 'html_element'
  | 'event_handler'
  | 'script_url'
  | 'template'
  | 'include'
  | 'directive'
  | 'role'
  | 'code_cell'
  | 'front_matter'
  | 'unparsable'

export interface ActiveItem {
  kind: ActiveContentKind
  /** As in the page, on one line. Two items of the same kind and text are the same. */
  text: string
  line: number
  /**
   * What a page at the base commit must use for this item to be allowed. Undefined: the item is allowed only in a page that
   * contained it before.
   */
  vocabularyKey?: string
}

/** What pages at the base commit use. */
export type Vocabulary = ReadonlySet<string>

const maxTextCharacters = 200

/** A line break can be the difference between a comment and code, so texts of several lines get a fingerprint of the exact text. */
export const toItemText = (text: string): string => {
  const exact = text.trim()
  const oneLine = exact.replaceAll(/[\s\p{C}]+/gu, ' ')
  if (oneLine.length <= maxTextCharacters && !exact.includes('\n')) return oneLine
  return `${oneLine.slice(0, maxTextCharacters)}… (${fingerprint(exact)})`
}

/** Distinguishes long texts with the same beginning. */
const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Finds the line of an offset. Quick if offsets do not decrease from call to call. */
export function createLineFinder(text: string): (offset: number) => number {
  let line = 1
  let position = 0
  return (offset) => {
    if (offset < position) {
      line = 1
      position = 0
    }
    for (; position < offset; position++) if (text.charCodeAt(position) === 0x0a) line++
    return line
  }
}

/** All matches of a pattern, as items. `describe` returns undefined for a match that is not active. */
export function findItems(
  text: string,
  pattern: RegExp,
  describe: (match: RegExpExecArray) => Omit<ActiveItem, 'line'> | undefined,
): ActiveItem[] {
  const lineOf = createLineFinder(text)
  return [...text.matchAll(pattern)].flatMap((match) => {
    const item = describe(match)
    return item ? [{ ...item, text: toItemText(item.text), line: lineOf(match.index) }] : []
  })
}
