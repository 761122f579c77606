import { expect, it } from 'vitest'
import { findChangeRefusals, maxChangedFiles, maxNewBytes } from '../content-gate/allow-list/allow-list.ts'
import { createSystemPrompt, editableFilePatterns } from './agent-prompts.ts'

const rules = { docsFolders: ['docs'], allowedPaths: [], siteGenerator: null, activeContent: 'refuse' as const }
const prompt = createSystemPrompt({ rules, instructions: null, site: null })

const refusals = (path: string) =>
  findChangeRefusals(
    [{ path: Buffer.from(`docs/${path}`), beforeMode: '100644', afterMode: '100644', newBytes: 1 }],
    [],
    { ...rules, isSiteNavigation: () => false },
  )

const { pageExtensions, imageExtensions } = editableFilePatterns

it.each([
  ...pageExtensions.map((extension) => ({ listed: extension, path: `guide/page${extension}` })),
  ...imageExtensions.map((extension) => ({ listed: extension, path: `images/image${extension}` })),
])('the system prompt allows $listed, and so does the allow list', ({ listed, path }) => {
  expect(prompt).toContain(`\`${listed}\``)
  expect(refusals(path)).toEqual([])
})

it.each(['conf.py', 'book.toml', 'package.json', '.gitignore', 'AGENTS.md', 'CLAUDE.md'])(
  'the system prompt forbids %s, and the allow list refuses it',
  (name) => {
    expect(prompt).toContain(`\`${name}\``)
    expect(refusals(name)).toHaveLength(1)
  },
)

it('the system prompt states the limits of the allow list', () => {
  expect(prompt).toContain(`at most ${maxChangedFiles} files`)
  expect(prompt).toContain(`at most ${maxNewBytes / 1024 / 1024} MiB`)
})

it('the system prompt says that another file fails the whole job', () => {
  expect(prompt).toContain('your whole result is refused and the job fails')
  expect(prompt).toContain('and only in `docs`')
  expect(createSystemPrompt({ rules: { ...rules, docsFolders: [''] }, instructions: null, site: null })).not.toContain(
    'and only in',
  )
})
