import { expect, test } from 'vitest'
import { costInWords, isUnderWay, nameOf, statusWords } from './job-words.ts'

test('a job has a name', () => {
  expect(nameOf({ title: 'Title', promptPreview: 'p' })).toBe('Title')
  expect(nameOf({ title: null, promptPreview: '\n Do it. \nMore.' })).toBe('Do it. ')
  expect(nameOf({ title: null, promptPreview: `${'word '.repeat(30)}` })).toMatch(/^(word )+word …$/)
  expect(nameOf({ title: null, promptPreview: ' ' })).toBe('A job')
})

test('a cancelled job did not fail, and one that stops is not done', () => {
  expect(statusWords({ status: 'failed', outcome: 'cancelled', pendingStop: null }).label).toBe('Cancelled')
  expect(statusWords({ status: 'active', outcome: null, pendingStop: 'archive' }).label).toBe('Stopping')
})

test('costs are never rounded to nothing', () => {
  expect([null, 0, 0.00042, 0.0099, 0.014, 12.3].map(costInWords)).toEqual([
    'cost not known',
    '$0',
    '$0.00042',
    '$0.0099',
    '$0.01',
    '$12.30',
  ])
})

test('a message is under way until it is over itself', () => {
  expect((['queued', 'running', 'publishing'] as const).every((status) => isUnderWay({ status }))).toBe(true)
  expect((['completed', 'failed', 'dropped'] as const).some((status) => isUnderWay({ status }))).toBe(false)
})
