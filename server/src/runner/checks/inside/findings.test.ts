import { describe, expect, it } from 'vitest'
import { newFindings, PageReader } from './findings.ts'
import type { Tree } from './trees.ts'

type Files = Record<string, string>

/** Of files in memory. */
const treeOf = (files: Files): Tree => ({
  has: (path) => path in files || Object.keys(files).some((file) => file.startsWith(`${path}/`)),
  read: (path) => files[path],
})

const find = async (path: string, now: Files, before: Files = {}) =>
  (await newFindings(path, new PageReader(treeOf(before)), new PageReader(treeOf(now)))).map(
    ({ text, line }) => `${line ?? '-'} ${text}`,
  )

describe('front matter', () => {
  it.each([
    ['none', '# A\n'],
    ['fields', '---\ntitle: A\ntags: [a, b]\n---\n# A\n'],
    ['an empty one', '---\n---\n# A\n'],
    ['a line across the page', '# A\n\n---\n\nText\n'],
    ['a line at the top', '---\n\nText\n'],
    ['Windows line ends', '---\r\ntitle: A\r\n---\r\n# A\r\n'],
  ])('is fine: %s', async (_, text) => expect(await find('a.md', { 'a.md': text })).toEqual([]))

  it.each([
    ['broken YAML', '---\ntitle: "A\n---\n'],
    ['a field twice', '---\ntitle: A\ntitle: B\n---\n'],
    ['no fields', '---\njust words\n---\n'],
    ['another language', '---js\nprocess.exit(1)\n---\n'],
  ])('is found: %s', async (_, text) => expect(await find('a.md', { 'a.md': text })).toHaveLength(1))
})

describe('MDX', () => {
  it.each([
    ['components and expressions', 'import A from "./a"\n\n<A b={1 + 1}>\n\n**text**\n\n</A>\n\n{1 + 1}\n'],
    ['an id of a heading', '# A {#a-id}\n'],
    ['a comment as in HTML', '<!-- {not code} -->\n\n# A\n'],
    ['front matter', '---\ntitle: A\n---\n\n# A\n'],
  ])('compiles: %s', async (_, text) => expect(await find('a.mdx', { 'a.mdx': text, a: '' })).toEqual([]))

  it.each([
    ['an open tag', '# A\n\n<A>\n', '3'],
    ['an open expression', '---\ntitle: A\n---\n\n{1 +\n', '6'], // where it should have ended
    ['bad code', 'export const a = ;\n', '1'],
  ])('does not: %s', async (_, text, line) => {
    const found = await find('a.mdx', { 'a.mdx': text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${line} `))
  })

  it('is never run', async () => {
    await find('a.mdx', { 'a.mdx': '{(globalThis.ran = true)}\n\nexport const a = (globalThis.ran = true)\n' })
    expect(globalThis).not.toHaveProperty('ran')
  })

  it('is not what Markdown is', async () => expect(await find('a.md', { 'a.md': '{ <A> \n' })).toEqual([]))
})

describe('links', () => {
  const site = {
    'docs/index.md': '# Home\n\n## Getting *started*: `now`!\n\n## Same\n\n## Same\n',
    'docs/guide/one.md': '# One\n\n<a id="by-hand"></a>\n\n## Own {#own-id}\n',
    'docs/guide/two.mdx': '# Two\n\n<Steps />\n',
    'docs/guide/index.md': '# Guide\n',
    'docs/images/a b.png': '',
  }
  const from = async (link: string, page = 'docs/guide/here.md') => find(page, { ...site, [page]: link })

  it.each([
    '[a](one.md)',
    '[a](./one.md#own-id)',
    '[a](./one)',
    '[a](one.md#by-hand)',
    '[a](../index.md#getting-started-now)',
    '[a](../index.md#same-1)',
    '[a](..)',
    '[a](../)',
    '[a](../guide/)',
    '[a](../one)',
    '[a](one.html)',
    '[a](two.mdx#rendered-by-a-component)',
    '![a](../images/a%20b.png)',
    '[a]: one.md',
    '# Here\n\n[a](#here)',
    '[a](https://example.com/nowhere)',
    '[a](mailto:somebody@example.com)',
    '[a](/reference)',
    '`[a](nowhere.md)`',
    '[a](one.md?x=1#own-id "title")',
  ])('are fine: %s', async (link) => expect(await from(link)).toEqual([]))

  it.each([
    ['[a](nowhere.md)', 'leads nowhere'],
    ['[a](../../../etc/passwd)', 'leads nowhere'],
    ['![a](missing.png)', 'leads nowhere'],
    ['[a][b]\n\n[b]: nowhere.md', 'leads nowhere'],
    ['[a](one.md#other)', 'no heading of `docs/guide/one.md`'],
    ['[a](#other)', 'no heading of `docs/guide/here.md`'],
  ])('are found: %s', async (link, problem) => {
    const found = await from(link)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(problem)
  })

  it('are found in components', async () => {
    expect(await from('<Card href="./nowhere" />\n\n<img src="./missing.png" />\n', 'docs/x.mdx')).toHaveLength(2)
  })

  it('say the line', async () =>
    expect(await from('---\na: b\n---\n\ntext\n\n[a](nowhere.md)')).toEqual([
      '7 the link to `nowhere.md` leads nowhere',
    ]))
})

it('what was broken before is not found', async () => {
  const before = { 'a.mdx': '<A>\n', 'b.md': '[a](nowhere.md)\n' }
  expect(await find('a.mdx', { 'a.mdx': 'More.\n\n<A>\n' }, before)).toEqual([])
  expect(await find('b.md', { 'b.md': 'More.\n\n[a](nowhere.md) [b](neither.md)\n' }, before)).toEqual([
    '3 the link to `neither.md` leads nowhere',
  ])
})

it('a link that the turn itself broke is found', async () => {
  const before = { 'a.md': '[b](b.md)\n', 'b.md': '# B\n' }
  expect(await find('a.md', { 'a.md': '[b](b.md)\n' }, before)).toHaveLength(1)
})
