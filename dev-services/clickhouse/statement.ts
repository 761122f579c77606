/**
 * The little that must be known of a statement before the engine gets it, untouched. Settings and parameters are given
 * to the session with SET and never written into the text, so nothing here needs to find the place for a SETTINGS clause.
 */
export type Statement =
  /** Everything after FORMAT or VALUES is data, in any format, and is not looked at. */
  | { kind: 'insert' }
  | { kind: 'other'; format?: string }
  | { kind: 'empty' }
  /** The engine as a library runs `a; b`; a server refuses it, so code that relies on it must fail here too. */
  | { kind: 'several' }

const blank = String.raw`\s+|--[^\n]*|#[ !][^\n]*|/\*.*?\*/|\$(?<tag>\w*)\$.*?\$\k<tag>\$`
// Unrolled: the usual `(a|b)*` overflows the regular expression's stack on a literal of some megabytes.
const quoted = ["'", '"', '`'].map((mark) => String.raw`${mark}[^${mark}\\]*(?:\\.[^${mark}\\]*)*${mark}`).join('|')
const tokens = new RegExp(String.raw`${blank}|(?<token>${quoted}|\w+|.)`, 'gs')

export function readStatement(sql: string): Statement {
  const seen: string[] = [] // upper-cased tokens outside parentheses
  let depth = 0
  let format: { name: string; at: number } | undefined
  let ended = false

  for (const match of sql.matchAll(tokens)) {
    const token = match.groups?.token
    if (token === undefined) continue // white space, comment, heredoc
    if (token === ';') {
      ended = seen.length > 0
      continue
    }
    if (ended) return { kind: 'several' }
    if (token === ')') depth--
    if (depth === 0) {
      const word = token.toUpperCase()
      if (seen[0] === 'INSERT' && (word === 'FORMAT' || word === 'VALUES')) break
      if (seen.at(-1) === 'FORMAT' && /^[A-Z]\w*$/.test(word)) format = { name: token, at: seen.length }
      seen.push(word)
    }
    if (token === '(') depth++
  }

  if (seen.length === 0) return { kind: 'empty' }
  if (seen[0] === 'INSERT') return { kind: 'insert' }
  // `format` is also a function and a good name for a column: it is the clause only where nothing but SETTINGS follows.
  if (format && (format.at === seen.length - 1 || seen[format.at + 1] === 'SETTINGS'))
    return { kind: 'other', format: format.name }
  return { kind: 'other' }
}
