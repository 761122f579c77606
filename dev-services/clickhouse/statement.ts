/**
 * What must be known about a statement before it is passed to chdb unchanged. Settings and parameters are set on the session
 * with SET and never inserted into the text, so nothing here needs to find the position of a SETTINGS clause.
 */
export type Statement =
  /** Everything after FORMAT or VALUES is data in any format, and is not parsed. */
  | { kind: 'insert' }
  | { kind: 'other'; format?: string }
  | { kind: 'empty' }
  /** The library runs `a; b`. A server rejects it, so code that relies on it must fail here too. */
  | { kind: 'multiple' }

const blank = String.raw`\s+|--[^\n]*|#[ !][^\n]*|/\*.*?\*/|\$(?<tag>\w*)\$.*?\$\k<tag>\$`
// Unrolled: the usual `(a|b)*` overflows the stack of the regular expression on a literal of several megabytes.
const quoted = ["'", '"', '`'].map((mark) => String.raw`${mark}[^${mark}\\]*(?:\\.[^${mark}\\]*)*${mark}`).join('|')
const tokens = new RegExp(String.raw`${blank}|(?<token>${quoted}|\w+|.)`, 'gs')

export function readStatement(sql: string): Statement {
  const topLevelTokens: string[] = [] // upper-cased tokens outside parentheses
  let depth = 0
  let format: { name: string; at: number } | undefined
  let ended = false

  for (const match of sql.matchAll(tokens)) {
    const token = match.groups?.token
    if (token === undefined) continue // white space, comment, heredoc
    if (token === ';') {
      ended = topLevelTokens.length > 0
      continue
    }
    if (ended) return { kind: 'multiple' }
    if (token === ')') depth--
    if (depth === 0) {
      const keyword = token.toUpperCase()
      if (topLevelTokens[0] === 'INSERT' && (keyword === 'FORMAT' || keyword === 'VALUES')) break
      if (topLevelTokens.at(-1) === 'FORMAT' && /^[A-Z]\w*$/.test(keyword))
        format = { name: token, at: topLevelTokens.length }
      topLevelTokens.push(keyword)
    }
    if (token === '(') depth++
  }

  if (topLevelTokens.length === 0) return { kind: 'empty' }
  if (topLevelTokens[0] === 'INSERT') return { kind: 'insert' }
  // `format` is also a function and a possible column name: it is the clause only if nothing but SETTINGS follows.
  if (format && (format.at === topLevelTokens.length - 1 || topLevelTokens[format.at + 1] === 'SETTINGS'))
    return { kind: 'other', format: format.name }
  return { kind: 'other' }
}
