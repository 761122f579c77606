/**
 * Text from the box is read by people: in terminals, where it must not move the cursor, set the title or press keys.
 * Whole sequences go, so that no half of one is left to read; then every control character but newline and tab. Half
 * characters are replaced: PostgreSQL keeps none.
 */
export function plainText(text: string): string {
  return text.toWellFormed().replace(sequences, '').replace(/\r\n?/g, '\n').replace(controls, '')
}

const sequences = new RegExp(
  [
    // To their end, or to the end of the line where that is missing: what an unfinished one hides stays hidden.
    '(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?', // OSC, DCS, SOS, PM, APC
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?', // CSI
    '\\x1b[ -/]*[0-~]?', // the rest
  ].join('|'),
  'g',
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

/** At most so many characters, with a word on what is missing. */
export function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters).toWellFormed()} … (${text.length - maxCharacters} more characters)`
}
