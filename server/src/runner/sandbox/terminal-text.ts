/**
 * Removes terminal control sequences from text that comes from the sandbox. People read this text in terminals, where it must
 * not move the cursor, set the title or type keys. Whole sequences are removed first, so that no part of one remains visible,
 * then every control character except newline and tab. Lone surrogates are replaced: PostgreSQL cannot store them.
 */
export function stripTerminalSequences(text: string): string {
  return text.toWellFormed().replace(controlSequences, '').replace(/\r\n?/g, '\n').replace(controlCharacters, '')
}

const controlSequences = new RegExp(
  [
    // Up to the terminator or, without one, to the end of the line: a terminal would not show this text either.
    '(?:\\x1b[\\]PX^_]|[\\x9d\\x90\\x98\\x9e\\x9f])[^\\x07\\x1b\\x9c\\n]*(?:\\x07|\\x1b\\\\|\\x9c)?', // OSC, DCS, SOS, PM, APC
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?', // CSI
    '\\x1b[ -/]*[0-~]?', // all others
  ].join('|'),
  'g',
)
// biome-ignore lint/suspicious/noControlCharactersInRegex: this removes control characters
const controlCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

/** Cuts the text to `maxCharacters` and appends how many characters are missing. */
export function truncateText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  return `${text.slice(0, maxCharacters).toWellFormed()} … (${text.length - maxCharacters} more characters)`
}
