/** Texts of results. Most of them come from agents, pages and repositories, and an assistant shows them in a terminal. */

// Control characters can move the cursor or hide text in a terminal. Tag characters are invisible to people, but models read them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it finds
const unsafeCharacters = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u{e0000}-\u{e007f}]/gu

/** Line breaks and tabs stay. What is removed leaves a visible mark. */
const toSafeText = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(unsafeCharacters, '\ufffd')

/** The same value with safe texts, at any depth. */
export function withSafeTexts(value: unknown): unknown {
  if (typeof value === 'string') return toSafeText(value)
  if (Array.isArray(value)) return value.map(withSafeTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [toSafeText(name), withSafeTexts(field)]))
}

/** `where` says how to get the rest. */
export function shorten(text: string, maxCharacters: number, where: string): string {
  if (text.length <= maxCharacters) return text
  const kept = text.slice(0, maxCharacters).replace(/[\ud800-\udbff]$/, '') // not half of a character
  return `${kept}… [${text.length - kept.length} more characters: ${where}]`
}
