import { expect, test } from 'vitest'
import { bodyTemplateError, branchTemplateError, renderExample, titleTemplateError } from './publishing-templates.ts'

test('replaces known variables and keeps unknown ones', () => {
  expect(renderExample('docs/{jobId}')).toBe('docs/job_01k2ht5m8c')
  expect(renderExample('docs: {title} ({jobId}) {other}')).toBe(
    'docs: Explain how to use a proxy (job_01k2ht5m8c) {other}',
  )
})

test('reports missing variables', () => {
  expect(branchTemplateError('docs/{jobId}')).toBeUndefined()
  expect(branchTemplateError('docs')).toContain('{jobId}')
  expect(titleTemplateError('docs: {title}')).toBeUndefined()
  expect(titleTemplateError('{title} {title}')).toContain('once')
  expect(bodyTemplateError('Hello\n{summary}\nBye')).toBeUndefined()
  expect(bodyTemplateError('Hello {summary}')).toContain('on its own line')
})
