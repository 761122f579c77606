/**
 * Finds the first pattern of an ordered list that occurs in a text: first in the order of the list, not of the text. All
 * patterns are searched in one pass (Aho-Corasick), so a user agent costs the same with ten patterns as with a thousand.
 */
export interface TextPattern {
  /** ASCII. */
  match: string
  caseSensitive: boolean
}

export type FirstMatchFinder = (text: string) => number | undefined

const none = 0xffff // also the limit on states: the table has 16 bits per state

export function compileFirstMatchFinder(patterns: readonly TextPattern[]): FirstMatchFinder {
  const { symbolOfCode, width } = numberSymbols(patterns)
  const symbolsOf = (text: string) => [...text].map((character) => symbolOfCode[character.charCodeAt(0)] ?? 0)

  const children: Map<number, number>[] = [new Map()]
  const first: number[] = [none]
  const exact: number[][] = [[]]
  for (const [index, { match, caseSensitive }] of patterns.entries()) {
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
  if (children.length >= none) throw new Error('The list has too many patterns.')

  const next = new Uint16Array(children.length * width)
  const failure = new Uint16Array(children.length) // per state: the state of its longest proper suffix that begins a pattern
  const queue = [0]
  for (const state of queue) {
    const fallback = failure[state] ?? 0
    if (state !== 0) {
      first[state] = Math.min(first[state] ?? none, first[fallback] ?? none)
      exact[state]?.push(...(exact[fallback] ?? []))
      next.copyWithin(state * width, fallback * width, (fallback + 1) * width)
    }
    for (const [symbol, child] of children[state] ?? []) {
      failure[child] = state === 0 ? 0 : (next[fallback * width + symbol] ?? 0)
      next[state * width + symbol] = child
      queue.push(child)
    }
  }

  const firstByState = Uint16Array.from(first)
  const exactByState = exact.map((indexes) => (indexes.length > 0 ? indexes : undefined))
  return (text) => {
    let state = 0
    let found = none
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      state = next[state * width + (code < 128 ? (symbolOfCode[code] ?? 0) : 0)] ?? 0
      const firstHere = firstByState[state] ?? none
      if (firstHere < found) found = firstHere
      const exactHere = exactByState[state]
      if (exactHere === undefined) continue
      for (const index of exactHere) {
        const match = patterns[index]?.match ?? ''
        if (index < found && text.startsWith(match, at + 1 - match.length)) found = index
      }
    }
    return found === none ? undefined : found
  }
}

/** Only characters that occur in the list have a column in the table, shared by both cases. Column 0 is for all others. */
function numberSymbols(patterns: readonly TextPattern[]): { symbolOfCode: Uint8Array; width: number } {
  const symbolOfCode = new Uint8Array(128)
  let width = 1
  for (const character of new Set(patterns.map(({ match }) => match.toLowerCase()).join(''))) {
    symbolOfCode[character.charCodeAt(0)] = width
    symbolOfCode[character.toUpperCase().charCodeAt(0)] = width
    width++
  }
  return { symbolOfCode, width }
}
