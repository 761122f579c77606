import { expect, test } from 'vitest'
import {
  findBodyTemplateError,
  findBranchTemplateError,
  findTitleTemplateError,
  renderTemplateExample,
} from './pull-request-templates.ts'

test('replaces known variables and keeps unknown ones', () => {
  expect(renderTemplateExample('docs/{jobId}')).toBe('docs/job_01k2ht5m8c')
  expect(renderTemplateExample('docs: {title} ({jobId}) {other}')).toBe(
    'docs: Explain how to use a proxy (job_01k2ht5m8c) {other}',
  )
})

test('reports missing variables', () => {
  expect(findBranchTemplateError('docs/{jobId}')).toBeUndefined()
  expect(findBranchTemplateError('docs')).toContain('{jobId}')
  expect(findTitleTemplateError('docs: {title}')).toBeUndefined()
  expect(findTitleTemplateError('{title} {title}')).toContain('once')
  expect(findBodyTemplateError('Hello\n{summary}\nBye')).toBeUndefined()
  expect(findBodyTemplateError('Hello {summary}')).toContain('on its own line')
})
