import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeTurnFailure, findHelpLinks } from './failure-guidance.ts'

test('explains every error code of a turn', () => {
  const source = readFileSync(new URL('../../../server/src/jobs/turn-errors.ts', import.meta.url), 'utf8')
  const codes = [...source.matchAll(/^ {2}(\w+):/gm)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(10)
  for (const code of codes) expect(describeTurnFailure(code), code).toBeDefined()
})

test('says what to do about a refused result, and links to the rules', () => {
  const guidance = describeTurnFailure('result_refused')
  expect(guidance?.options).toHaveLength(3)
  expect(guidance?.links).toMatchObject([{ label: 'Publishing rules', hash: 'publishing-rules' }])
})

test('does not explain unknown codes', () => {
  expect(describeTurnFailure('code_of_a_newer_server')).toBeUndefined()
  expect(describeTurnFailure('toString')).toBeUndefined()
  expect(findHelpLinks('constructor')).toEqual([])
  expect(findHelpLinks('project_not_ready')).toHaveLength(2)
})
