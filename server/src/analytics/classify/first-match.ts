/**
 * Which entry of an ordered list of texts occurs first in the order of the list, not of the text. All are looked for in one
 * pass (Aho-Corasick): a user agent costs the same whether the list has ten entries or a thousand.
 */
export interface SoughtText {
  /** ASCII. */
  match: string
  caseSensitive: boolean
}

export type FindFirst = (text: string) => number | undefined

const none = 0xffff // also the most states that a table of 16 bits can name

export function findFirstOf(sought: readonly SoughtText[]): FindFirst {
  const { symbolOfCode, width } = numberSymbols(sought)
  const symbolsOf = (text: string) => [...text].map((character) => symbolOfCode[character.charCodeAt(0)] ?? 0)

  const children: Map<number, number>[] = [new Map()]
  const first: number[] = [none]
  const exact: number[][] = [[]]
  for (const [index, { match, caseSensitive }] of sought.entries()) {
    let state = 0
    for (const symbol of symbolsOf(match)) {
      let next = children[state]?.get(symbol)
      if (next === undefined) {
        next = children.push(new Map()) - 1
        first.push(none)
        exact.push([])
        children[state]?.set(symbol, next)
      }
      state = next
    }
    if (caseSensitive) exact[state]?.push(index)
    else first[state] = Math.min(first[state] ?? none, index)
  }
  if (children.length >= none) throw new Error('The list has too many texts.')

  const next = new Uint16Array(children.length * width)
  const shorter = new Uint16Array(children.length) // the longest other beginning that a state's text ends with
  const queue = [0]
  for (const state of queue) {
    const fallback = shorter[state] ?? 0
    if (state !== 0) {
      first[state] = Math.min(first[state] ?? none, first[fallback] ?? none)
      exact[state]?.push(...(exact[fallback] ?? []))
      next.copyWithin(state * width, fallback * width, (fallback + 1) * width)
    }
    for (const [symbol, child] of children[state] ?? []) {
      shorter[child] = state === 0 ? 0 : (next[fallback * width + symbol] ?? 0)
      next[state * width + symbol] = child
      queue.push(child)
    }
  }

  const firstOf = Uint16Array.from(first)
  const exactOf = exact.map((indexes) => (indexes.length > 0 ? indexes : undefined))
  return (text) => {
    let state = 0
    let found = none
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      state = next[state * width + (code < 128 ? (symbolOfCode[code] ?? 0) : 0)] ?? 0
      const here = firstOf[state] ?? none
      if (here < found) found = here
      const exactHere = exactOf[state]
      if (exactHere === undefined) continue
      for (const index of exactHere) {
        const match = sought[index]?.match ?? ''
        if (index < found && text.startsWith(match, at + 1 - match.length)) found = index
      }
    }
    return found === none ? undefined : found
  }
}

/** Only letters that occur in the list have a column of the table, both cases the same one; column 0 is all others. */
function numberSymbols(sought: readonly SoughtText[]): { symbolOfCode: Uint8Array; width: number } {
  const symbolOfCode = new Uint8Array(128)
  let width = 1
  for (const character of new Set(sought.map(({ match }) => match.toLowerCase()).join(''))) {
    symbolOfCode[character.charCodeAt(0)] = width
    symbolOfCode[character.toUpperCase().charCodeAt(0)] = width
    width++
  }
  return { symbolOfCode, width }
}
