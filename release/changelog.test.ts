import { expect, test } from 'vitest'
import { releaseNotes } from './changelog.ts'

const changelog = `# Changelog

Changes that users can see.

## 0.2.0 (2026-12-01)

### Upgrade notes

- Nothing to do.

### Jobs

- Jobs can be repeated.

## 0.1.10

### Only a heading

## 0.1.1

### Upgrade notes

Nothing to do.

## 0.1.0

- Without upgrade notes.
`

test('returns the section of the version, up to the next one', () => {
  expect(releaseNotes(changelog, '0.2.0')).toBe(
    '### Upgrade notes\n\n- Nothing to do.\n\n### Jobs\n\n- Jobs can be repeated.\n',
  )
  expect(releaseNotes(changelog, '0.1.1')).toBe('### Upgrade notes\n\nNothing to do.\n')
})

test('a version without a section or upgrade notes, or with an empty section, cannot be released', () => {
  expect(() => releaseNotes(changelog, '0.1.0')).toThrow(
    '"## 0.1.0" of CHANGELOG.md must begin with "### Upgrade notes".',
  )
  expect(() => releaseNotes(changelog, '0.1')).toThrow('CHANGELOG.md has no section "## 0.1".')
  expect(() => releaseNotes(changelog, '0.1.10')).toThrow('The section "## 0.1.10" of CHANGELOG.md is empty.')
})
