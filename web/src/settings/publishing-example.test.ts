import { expect, test } from 'vitest'
import { bodyMistake, branchMistake, renderExample, titleMistake } from './publishing-example.ts'

test('a template reads with a job in it, and what it does not know stays', () => {
  expect(renderExample('docs/{jobId}')).toBe('docs/job_01k2ht5m8c')
  expect(renderExample('docs: {title} ({jobId}) {other}')).toBe(
    'docs: Explain how to pass a proxy (job_01k2ht5m8c) {other}',
  )
})

test('says what a template lacks', () => {
  expect(branchMistake('docs/{jobId}')).toBeUndefined()
  expect(branchMistake('docs')).toContain('{jobId}')
  expect(titleMistake('docs: {title}')).toBeUndefined()
  expect(titleMistake('{title} {title}')).toContain('once')
  expect(bodyMistake('Hello\n{summary}\nBye')).toBeUndefined()
  expect(bodyMistake('Hello {summary}')).toContain('line of its own')
})
