import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileFirstMatchFinder, type TextPattern } from './first-match-finder.ts'

/** The straightforward implementation. */
function findFirstNaively(patterns: readonly TextPattern[], text: string): number | undefined {
  const lower = (word: string) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const index = patterns.findIndex(({ match, caseSensitive }) =>
    caseSensitive ? text.includes(match) : lower(text).includes(lower(match)),
  )
  return index === -1 ? undefined : index
}

// Few letters, so that patterns overlap, contain each other, and end with the beginning of another one.
const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '/', 'é'), minLength, maxLength })
const pattern = fc.record({ match: word(1, 5).filter((text) => !text.includes('é')), caseSensitive: fc.boolean() })

test('finds the first pattern of the list, wherever it occurs in the text', () => {
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 1, maxLength: 8 }), word(0, 30), (patterns, text) => {
      expect(compileFirstMatchFinder(patterns)(text)).toBe(findFirstNaively(patterns, text))
    }),
    { numRuns: 2_000 },
  )
})
