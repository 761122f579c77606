import { expect, test } from 'vitest'
import {
  type EditableRules,
  findChangedRules,
  parseFolders,
  parsePaths,
  toEditableRules,
  toPublishingRulesForm,
} from './publishing-rules-form.ts'

const rules: EditableRules = {
  furtherDocsFolders: ['blog'],
  allowedPaths: ['openapi.yaml', 'examples/'],
  activeContent: 'refuse',
  requireApproval: false,
  fixFailedChecks: false,
}

test.each([
  ['', []],
  ['openapi.yaml\nexamples/', ['openapi.yaml', 'examples/']],
  [' /openapi.yaml \r\n\n./examples//\n', ['openapi.yaml', 'examples/']],
  ['a\n/a\n./a\na/', ['a', 'a/']],
  ['/\n./', []],
  ['.vitepress/nav.json', ['.vitepress/nav.json']],
  ['my examples/', ['my examples/']],
  ['../other', ['../other']],
])('parses the paths %j', (typed, paths) => expect(parsePaths(typed)).toEqual(paths))

test.each([
  ['blog\n/blog/\n./blog', ['blog']],
  ['docs/en/', ['docs/en']],
  ['/', []],
])('parses the folders %j', (typed, folders) => expect(parseFolders(typed)).toEqual(folders))

test('an unchanged form has no changes', () => {
  const form = toPublishingRulesForm(rules)
  expect(findChangedRules(rules, form)).toEqual({})
  expect(findChangedRules(rules, { ...form, furtherDocsFolders: ' /blog/\n' })).toEqual({})
})

test('finds only what was changed', () => {
  const form = toPublishingRulesForm(rules)
  expect(findChangedRules(rules, { ...form, allowedPaths: '', activeContent: 'hold' })).toEqual({
    allowedPaths: [],
    activeContent: 'hold',
  })
  expect(findChangedRules(rules, { ...form, requireApproval: true })).toEqual({ requireApproval: true })
})

test('leaves out the site generator', () => {
  expect(toEditableRules({ siteGenerator: 'hugo', ...rules })).toEqual(rules)
})
