import { describe, expect, it } from 'vitest'
import { hasExecutableFrontMatter, mayHaveFrontMatter } from './front-matter.ts'

describe('hasExecutableFrontMatter', () => {
  it.each([
    '---js\n{}\n---\n',
    '--- JavaScript \r\n{}\r\n---\r\n',
    '\ufeff---js\n',
    '---\u00a0\t\rjs\n',
    `---${' '.repeat(100_000)}js\n`,
    '---coffee\n',
    '---js',
  ])('finds code in %j', (page) => {
    expect(hasExecutableFrontMatter(Buffer.from(page))).toBe(true)
  })

  it.each([
    '---\ntitle: js\n---\n',
    '---\r\n---\r\n',
    '--- YAML\n',
    '---toml\n',
    '---json\n{}\n---\n',
    '-----\njs\n',
    '# Title\n\n---js\n',
    '--js\n',
    '',
  ])('finds no code in %j', (page) => {
    expect(hasExecutableFrontMatter(Buffer.from(page))).toBe(false)
  })
})

it('expects front matter in Markdown files only', () => {
  expect(['a.md', 'a.MDX', 'a.markdown', 'a.png', 'a.rst', 'amd'].filter(mayHaveFrontMatter)).toEqual([
    'a.md',
    'a.MDX',
    'a.markdown',
  ])
})
