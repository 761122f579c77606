import { expect, test } from 'vitest'
import { releaseNotes } from './changelog.ts'

const changelog = `# Changelog

Changes that users can see.

## 0.2.0 (2026-12-01)

### Jobs

- Jobs can be repeated.

## 0.1.10

### Only a heading

## 0.1.1

- A fix.
`

test('returns the section of the version, up to the next one', () => {
  expect(releaseNotes(changelog, '0.2.0')).toBe('### Jobs\n\n- Jobs can be repeated.\n')
  expect(releaseNotes(changelog, '0.1.1')).toBe('- A fix.\n')
})

test('a version without a section, or with an empty one, cannot be released', () => {
  expect(() => releaseNotes(changelog, '0.1')).toThrow('CHANGELOG.md has no section "## 0.1".')
  expect(() => releaseNotes(changelog, '0.1.10')).toThrow('The section "## 0.1.10" of CHANGELOG.md is empty.')
})
