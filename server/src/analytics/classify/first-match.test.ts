import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findFirstOf, type SoughtText } from './first-match.ts'

/** The obvious way. */
function naive(sought: readonly SoughtText[], text: string): number | undefined {
  const lower = (word: string) => word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  const index = sought.findIndex(({ match, caseSensitive }) =>
    caseSensitive ? text.includes(match) : lower(text).includes(lower(match)),
  )
  return index === -1 ? undefined : index
}

// Few letters, so that texts overlap, contain each other and end in each other's beginnings.
const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '/', 'é'), minLength, maxLength })
const soughtText = fc.record({ match: word(1, 5).filter((text) => !text.includes('é')), caseSensitive: fc.boolean() })

test('the first of the list is found, wherever it stands in the text', () => {
  fc.assert(
    fc.property(fc.array(soughtText, { minLength: 1, maxLength: 8 }), word(0, 30), (sought, text) => {
      expect(findFirstOf(sought)(text)).toBe(naive(sought, text))
    }),
    { numRuns: 2_000 },
  )
})
