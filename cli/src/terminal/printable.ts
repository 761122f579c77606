/**
 * Text from outside (what agents wrote, error messages, paths of page views) must not control the terminal or the CI that shows
 * it. Everything that is printed passes through this file.
 */

/** The 7-bit and 8-bit forms of OSC, DCS, SOS, PM and APC with their end; of CSI; and of all other escape sequences. */
const escapeSequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g

/** Control characters without tab and line feed, line separators, bidirectional controls, and invisible tag characters. */
const controlCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this finds
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

const replacement = '\ufffd'

/** For several lines. Tabs and line feeds stay. */
export const printableBlock = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(escapeSequences, '').replace(controlCharacters, replacement)

/** For one line, for example in a table. */
export const printableLine = (text: string): string => printableBlock(text).replace(/[\t\n]+/g, ' ')

/**
 * GitHub Actions obeys lines that start with `::`, after any white space; Azure Pipelines, older versions of GitHub's runner, and
 * TeamCity obey `##[…]`, `##vso[…]` and `##teamcity[…]`, some of them anywhere in a line.
 */
const disarmCiCommands = (text: string): string =>
  text.replace(/^(\s*):(?=:)/gm, '$1: ').replace(/##(?=(?:vso|teamcity)?\[)/g, '# #')

// biome-ignore lint/suspicious/noControlCharactersInRegex: the only sequences that our own output has
const colorSequence = /(\u001b\[[\d;]*m)/

/**
 * The last step before output: whatever a caller forgot to make printable can at most have colors, and only on a terminal that
 * shows colors.
 */
export const toOutput = (text: string, { hasColors }: { hasColors: boolean }): string =>
  disarmCiCommands(
    text
      .split(colorSequence)
      .map((piece, index) => (index % 2 === 1 ? (hasColors ? piece : '') : printableBlock(piece)))
      .join(''),
  )

/** JSON with every dangerous character escaped, which parses to the same value. */
export const printableJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, null, indentation)
    .replace(controlCharacters, (character) => (character === '\n' ? character : escapeForJson(character)))
    .replaceAll('##', '#\\u0023')

const escapeForJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
