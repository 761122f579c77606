/** Characters that a reviewer cannot see, and that make text look different from what it is. */

export interface HiddenCharacter {
  /** Such as `U+202E`. */
  character: string
  line: number
}

/** Bidirectional controls, tag characters, invisible operators, and other characters without a width. */
const hidden =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these characters are what is searched for
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0f]/gu
/** Without the line breaks that parsers disagree on, and without tab, line feed and carriage return. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is searched for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g

/** Scripts in which a zero-width joiner or non-joiner changes how letters are drawn. */
const joiningScript =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Hebrew}]/u
// biome-ignore lint/suspicious/noMisleadingCharacterClass: the parts of an emoji are what is searched for
const emoji = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}#*0-9\u20e3\ufe0f]/u
/** Flags of regions, such as Scotland, are an emoji and tag characters. */
const regionFlag = /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,10}\u{e007f}/gu

export function findHiddenCharacters(text: string): HiddenCharacter[] {
  const visible = text.replaceAll(regionFlag, (flag) => ' '.repeat(flag.length)).replace(/^\ufeff/, ' ')
  return [...visible.matchAll(hidden), ...visible.matchAll(control)]
    .filter((match) => !isPartOfText(visible, match))
    .map(({ 0: character, index }) => ({
      character: `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
      line: visible.slice(0, index).split('\n').length,
    }))
}

function isPartOfText(text: string, { 0: character, index }: RegExpExecArray): boolean {
  const before = [...text.slice(Math.max(0, index - 4), index)].at(-1) ?? ''
  const after = [...text.slice(index + character.length, index + character.length + 4)][0] ?? ''
  if (character === '\u200d')
    return (emoji.test(before) && emoji.test(after)) || (joiningScript.test(before) && joiningScript.test(after))
  if (character === '\u200c') return joiningScript.test(before) && joiningScript.test(after)
  if (character === '\ufe0f' || character === '\ufe0e') return emoji.test(before) || /\p{S}/u.test(before)
  // Standardized variants of Han characters and mathematical symbols.
  if (/[\ufe00-\ufe0d]/.test(character)) return /[\p{Script=Han}\p{Sm}]/u.test(before)
  return false
}
