import { expect, test } from 'vitest'
import { parseRefusals, toRefusal } from './refusals.ts'

const failure = (list: string) => `The result was refused. Send a message. Refused: ${list}.`

test('lists the reasons of a refused result', () => {
  const message = failure(
    'src/app.ts: only files in the docs folders may be changed (outside_docs_folder); docs/a.mdx:3: a build would execute this: `import x from "y"` (active_content); more than 300 files are changed (too_many_files)',
  )
  expect(parseRefusals(message)).toEqual([
    { location: 'src/app.ts', reason: 'only files in the docs folders may be changed', found: null },
    { location: 'docs/a.mdx:3', reason: 'a build would execute this', found: 'import x from "y"' },
    { location: null, reason: 'more than 300 files are changed', found: null },
  ])
})

test('keeps text together that looks like the end of a reason', () => {
  const message = failure(
    'a: b.md:1: a build would execute this: `if (x); call (y); z: ` (active_content); c.md: d (e)',
  )
  expect(parseRefusals(message)).toEqual([
    { location: 'a: b.md:1', reason: 'a build would execute this', found: 'if (x); call (y); z: ' },
    { location: 'c.md', reason: 'd', found: null },
  ])
})

test('shows everything of a list that it cannot split', () => {
  const message = failure('docs/`a.md: the name is unsafe (unsafe_character); b.md: c')
  expect(parseRefusals(message).map(({ location, reason }) => `${location}: ${reason}`)).toEqual([
    'docs/`a.md: the name is unsafe (unsafe_character); b.md: c',
  ])
})

test('finds none in another message', () => {
  expect(parseRefusals('The result was refused.')).toEqual([])
  expect(parseRefusals('')).toEqual([])
})

test('shows the location of a reason to approve once', () => {
  const reason = { code: 'active_content', path: 'docs/a.mdx', line: 3 }
  const message = 'docs/a.mdx:3: a build would execute this: `{x}` (active_content)'
  expect(toRefusal({ ...reason, message })).toEqual({
    location: 'docs/a.mdx:3',
    reason: 'a build would execute this',
    found: '{x}',
  })
  expect(toRefusal({ ...reason, line: null, message: 'another text' })).toEqual({
    location: 'docs/a.mdx',
    reason: 'another text',
    found: null,
  })
})
