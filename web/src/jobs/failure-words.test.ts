import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { helpForRefusal, wordsForTurnFailure } from './failure-words.ts'

test('every code that the server can give has words', () => {
  const source = readFileSync(new URL('../../../server/src/jobs/turn-errors.ts', import.meta.url), 'utf8')
  const codes = [...source.matchAll(/^ {2}(\w+):/gm)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(10)
  for (const code of codes.filter((code) => code !== 'cancelled')) expect(wordsForTurnFailure(code), code).toBeDefined() // a cancelled turn has no error
})

test('of other codes nothing is made up', () => {
  expect(wordsForTurnFailure('of_tomorrow')).toBeUndefined()
  expect(wordsForTurnFailure('toString')).toBeUndefined()
  expect(helpForRefusal('constructor')).toEqual([])
  expect(helpForRefusal('project_not_ready')).toHaveLength(2)
})
