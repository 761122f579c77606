import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createUnknownSite } from '../../../site-generators/generators/unknown.ts'
import { recognizeSite } from '../../../site-generators/recognize-site.ts'
import type { FileTree } from './file-tree.ts'
import { checkChangedPages, findIntroducedFindings, PageChecker } from './findings.ts'

type Files = Record<string, string>

/** A tree of files in memory. */
const createTree = (files: Files): FileTree => ({
  files: Object.keys(files),
  has: (path) => path in files || Object.keys(files).some((file) => file.startsWith(`${path}/`)),
  read: (path) => files[path],
})

const site = createUnknownSite('')

const find = async (path: string, now: Files, before: Files = {}) =>
  (
    await findIntroducedFindings(
      path,
      new PageChecker(createTree(before), site),
      new PageChecker(createTree(now), site),
    )
  ).map(({ text, line }) => `${line ?? '-'} ${text}`)

describe('front matter', () => {
  it.each([
    ['a page without it', '# A\n'],
    ['YAML fields', '---\ntitle: A\ntags: [a, b]\n---\n# A\n'],
    ['empty front matter', '---\n---\n# A\n'],
    ['a thematic break', '# A\n\n---\n\nText\n'],
    ['a thematic break at the top', '---\n\nText\n'],
    ['Windows line endings', '---\r\ntitle: A\r\n---\r\n# A\r\n'],
  ])('accepts %s', async (_, text) => expect(await find('a.md', { 'a.md': text })).toEqual([]))

  it.each([
    ['invalid YAML', '---\ntitle: "A\n---\n'],
    ['a duplicate field', '---\ntitle: A\ntitle: B\n---\n'],
    ['text without fields', '---\njust text\n---\n'],
    ['another language', '---js\nprocess.exit(1)\n---\n'],
  ])('reports %s', async (_, text) => expect(await find('a.md', { 'a.md': text })).toHaveLength(1))
})

describe('MDX', () => {
  it.each([
    ['components and expressions', 'import A from "./a"\n\n<A b={1 + 1}>\n\n**text**\n\n</A>\n\n{1 + 1}\n'],
    ['a heading with an id', '# A {#a-id}\n'],
    ['an HTML comment', '<!-- {not code} -->\n\n# A\n'],
    ['front matter', '---\ntitle: A\n---\n\n# A\n'],
  ])('accepts %s', async (_, text) => expect(await find('a.mdx', { 'a.mdx': text, a: '' })).toEqual([]))

  it.each([
    ['an unclosed tag', '# A\n\n<A>\n', '3'],
    ['an unclosed expression', '---\ntitle: A\n---\n\n{1 +\n', '6'], // the line where it should have ended
    ['a syntax error in code', 'export const a = ;\n', '1'],
  ])('reports %s', async (_, text, line) => {
    const found = await find('a.mdx', { 'a.mdx': text })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${line} `))
  })

  it('is never executed', async () => {
    await find('a.mdx', { 'a.mdx': '{(globalThis.ran = true)}\n\nexport const a = (globalThis.ran = true)\n' })
    expect(globalThis).not.toHaveProperty('ran')
  })

  it('is not required of Markdown pages', async () => expect(await find('a.md', { 'a.md': '{ <A> \n' })).toEqual([]))
})

describe('links', () => {
  const files = {
    'docs/index.md': '# Home\n\n## Getting *started*: `now`!\n\n## Same\n\n## Same\n',
    'docs/guide/one.md': '# One\n\n<a id="by-hand"></a>\n\n## Own {#own-id}\n',
    'docs/guide/two.mdx': '# Two\n\n<Steps />\n',
    'docs/guide/index.md': '# Guide\n',
    'docs/images/a b.png': '',
  }
  const from = async (link: string, page = 'docs/guide/here.md') => find(page, { ...files, [page]: link })

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
    '[a](mailto:docs@example.com)',
    '[a](/reference)',
    '`[a](nowhere.md)`',
    '[a](one.md?x=1#own-id "title")',
  ])('are accepted: %s', async (link) => expect(await from(link)).toEqual([]))

  it.each([
    ['[a](nowhere.md)', 'is broken: there is no such file or page'],
    ['[a](../../../etc/passwd)', 'is broken: there is no such file or page'],
    ['![a](missing.png)', 'is broken: there is no such file or page'],
    ['[a][b]\n\n[b]: nowhere.md', 'is broken: there is no such file or page'],
    ['[a](one.md#other)', 'no such heading in `docs/guide/one.md`'],
    ['[a](#other)', 'no such heading in `docs/guide/here.md`'],
  ])('are reported: %s', async (link, problem) => {
    const found = await from(link)
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(problem)
  })

  const headings = `
## Twice

## Twice

## Twice 1

## What's new? (v2.0)

## 🚀 Launch

## Größe & Änderungen

## 設定方法

## snake_case_name

## Area in m²

## Option Ⓐ
`
  it.each([
    'twice-1',
    'twice-1-1',
    'whats-new-v20',
    '-launch',
    'größe--änderungen',
    '設定方法',
    'snake_case_name',
    'area-in-m',
    'option-ⓐ',
  ])('lead to the anchors that GitHub creates: #%s', async (anchor) =>
    expect(await from(`[a](#${anchor})\n${headings}`)).toEqual([]),
  )

  it.each(['twice-3', 'area-in-m²', 'whats-new'])('do not lead to other anchors: #%s', async (anchor) =>
    expect(await from(`[a](#${anchor})\n${headings}`)).toHaveLength(1),
  )

  it('are checked in components', async () => {
    expect(await from('<Card href="./nowhere" />\n\n<img src="./missing.png" />\n', 'docs/x.mdx')).toHaveLength(2)
  })

  it('are reported with their line', async () =>
    expect(await from('---\na: b\n---\n\ntext\n\n[a](nowhere.md)')).toEqual([
      '7 the link to `nowhere.md` is broken: there is no such file or page',
    ]))
})

it('does not report problems that a page had before', async () => {
  const before = { 'a.mdx': '<A>\n', 'b.md': '[a](nowhere.md)\n' }
  expect(await find('a.mdx', { 'a.mdx': 'More.\n\n<A>\n' }, before)).toEqual([])
  expect(await find('b.md', { 'b.md': 'More.\n\n[a](nowhere.md) [b](neither.md)\n' }, before)).toEqual([
    '3 the link to `neither.md` is broken: there is no such file or page',
  ])
})

it('reports a link that the turn broke by deleting its target', async () => {
  const before = { 'a.md': '[b](b.md)\n', 'b.md': '# B\n' }
  expect(await find('a.md', { 'a.md': '[b](b.md)\n' }, before)).toHaveLength(1)
})

describe('check results', () => {
  const check = (changed: readonly string[], now: Files, before: Files = {}) =>
    checkChangedPages(changed, new PageChecker(createTree(before), site), new PageChecker(createTree(now), site))
  const names = ['Page syntax', 'Front matter', 'Internal links']
  const all = (result: object) => names.map((name) => ({ name, ...result }))

  it('pass if the checked pages have no findings', async () => {
    expect(await check(['a.md', 'b.mdx'], { 'a.md': '# A\n', 'b.mdx': '# B\n' })).toEqual(
      all({ status: 'passed', findings: [] }),
    )
  })

  it('fail with findings', async () => {
    const now = { 'a.md': '# A\n\n[b](b.md)\n', 'c.mdx': '---\na: [\n---\n\n<A>\n' }
    expect(await check(['a.md', 'c.mdx'], now)).toEqual([
      { name: 'Page syntax', status: 'failed', findings: [expect.stringMatching(/^c\.mdx:\d+: /)] },
      { name: 'Front matter', status: 'failed', findings: [expect.stringMatching(/^c\.mdx: front matter: /)] },
      {
        name: 'Internal links',
        status: 'failed',
        findings: ['a.md:3: the link to `b.md` is broken: there is no such file or page'],
        note: 'Not checked: c.mdx. Links can be checked when the syntax of the page is valid.',
      },
    ])
  })

  it('say that links are not checked in a page that does not parse', async () => {
    const now = { 'a.mdx': '[b](b.md)\n\n<A>\n', 'c.md': '# C\n' }
    const note = 'Not checked: a.mdx. Links can be checked when the syntax of the page is valid.'
    expect(await check(['a.mdx'], now)).toEqual([
      { name: 'Page syntax', status: 'failed', findings: [expect.stringMatching(/^a\.mdx:/)] },
      { name: 'Front matter', status: 'passed', findings: [] },
      { name: 'Internal links', status: 'not_checked', findings: [note] },
    ])
    expect((await check(['a.mdx', 'c.md'], now)).at(-1)).toEqual({
      name: 'Internal links',
      status: 'passed',
      findings: [],
      note,
    })
  })

  it('are not_checked for a page that is too long to read', async () => {
    const now: FileTree = { files: ['long.md'], has: () => true, read: () => undefined }
    const results = await checkChangedPages(
      ['long.md'],
      new PageChecker(createTree({}), site),
      new PageChecker(now, site),
    )
    expect(results).toMatchObject(
      all({ status: 'not_checked', findings: [expect.stringContaining('Not checked: long.md.')] }),
    )
  })

  it('are not_checked if no pages were changed', async () => {
    expect(await check([], {})).toEqual(all({ status: 'not_checked', findings: ['No pages were changed.'] }))
  })

  it('depend on the checked pages if others could not be checked, and name those in a note', async () => {
    const note = 'Not checked: b.txt. Up to 500 pages of up to 1 MiB are checked.'
    expect(await check(['a.md', 'b.txt'], { 'a.md': '# A\n', 'b.txt': 'B' })).toEqual(
      all({ status: 'passed', findings: [], note }),
    )
    expect(await check(['a.md', 'b.txt'], { 'a.md': '[b](c.md)\n', 'b.txt': 'B' })).toMatchObject([
      { status: 'passed', note },
      { status: 'passed', note },
      { status: 'failed', findings: [expect.stringContaining('a.md:1')], note },
    ])
  })

  it('name a limited number of pages that were not checked', async () => {
    const paths = Array.from({ length: 30 }, (_, index) => `${index}.txt`)
    const [result] = await check(paths, Object.fromEntries(paths.map((path) => [path, ''])))
    expect(result?.findings).toEqual([expect.stringContaining('9.txt and 20 more. Up to')])
  })
})

describe('links by the URLs of the generator', () => {
  const sites: Record<string, { files: Files; page: string; good: string[]; broken: string[] }> = {
    docusaurus: {
      files: {
        'docusaurus.config.js': "export default { baseUrl: '/manual/', presets: [['classic', { docs: {} }]] }\n",
        'docs/guide/01-intro.md': '# Intro\n\n## Limits\n',
        'docs/guide/named.md': '---\nslug: /elsewhere\n---\n',
        'docs/guide/rules.md': '# Rules\n\n---\n\nslug: /not-this\n\n---\n',
        'static/img/logo.png': '',
      },
      page: 'docs/guide/02-here.md',
      good: [
        './intro',
        'intro#limits',
        '/docs/guide/intro',
        '/docs/elsewhere',
        '/docs/guide/rules',
        '/manual/docs/guide/intro',
        '/img/logo.png',
        '/pricing',
      ],
      broken: ['./none', '/docs/guide/none', '/docs/guide/intro#none', '/docs/guide/named', '/img/none.png'],
    },
    starlight: {
      files: {
        'astro.config.mjs':
          "import starlight from '@astrojs/starlight'\nexport default defineConfig({ base: '/manual', integrations: [starlight({})] })\n",
        'src/content/docs/guide/Upper_Case.md': '# Upper\n',
        'src/content/docs/guide/slugged.md': '---\nslug: other/place\n---\n',
      },
      page: 'src/content/docs/guide/here.md',
      good: ['../upper_case/', '/manual/guide/upper_case/', '/manual/other/place/', '/manual/blog/x'],
      broken: ['../none/', '/manual/guide/none/', '/manual/guide/slugged/'],
    },
    hugo: {
      files: {
        'hugo.toml': 'baseURL = "https://example.com/manual/"\n',
        'content/guide/_index.md': '# Guide\n',
        'content/guide/intro.md': '# Intro\n',
      },
      page: 'content/guide/here.md',
      good: ['{{< relref "/guide/intro" >}}', '{{< ref "intro" >}}', '{{% ref "intro.md" %}}', '/guide/intro/'],
      broken: ['{{< relref "/guide/none" >}}', '{{< ref "none" >}}', '/guide/none/'],
    },
    jekyll: {
      files: { '_config.yml': 'baseurl: /manual\n', 'guide/intro.md': '---\n---\n' },
      page: 'guide/here.md',
      good: ['{% link guide/intro.md %}', '/manual/guide/intro.html'],
      broken: ['{% link guide/none.md %}', '/manual/guide/none.html'],
    },
  }
  const cases = Object.entries(sites).flatMap(([name, { good, broken }]) => [
    ...good.map((target) => ({ name, target, isBroken: false })),
    ...broken.map((target) => ({ name, target, isBroken: true })),
  ])
  it.each(cases)('$name: $target, is broken: $isBroken', async ({ name, target, isBroken }) => {
    const { files, page } = sites[name] ?? { files: {}, page: '' }
    const now = { ...files, [page]: `[a](${target})\n` }
    const recognized = await recognizeSite(
      { paths: Object.keys(now), read: async (path) => (now as Files)[path] },
      { docsFolders: [''] },
    )
    expect(recognized.generator).toBe(name)
    const checker = new PageChecker(createTree(now), recognized)
    expect(await checker.findProblems(page)).toHaveLength(isBroken ? 1 : 0)
  })
})

describe('AsciiDoc', () => {
  const pages = 'modules/ROOT/pages'
  const files = {
    'antora.yml': 'name: a\n',
    [`${pages}/api.adoc`]: '= API\n\n== Limits\n\n[#own]\nText.\n',
    'modules/admin/pages/run.adoc': '= Run\n',
    'modules/ROOT/images/a.png': '',
  }
  const findIn = (text: string) => find(`${pages}/guide/here.adoc`, { ...files, [`${pages}/guide/here.adoc`]: text })

  it.each([
    '= Title\n\n== Section\n\nText.\n',
    'xref:api.adoc[API]',
    'xref:../api.adoc#_limits[API]',
    'xref:api.adoc#own[API]',
    'xref:admin:run.adoc[Run]',
    'xref:2.0@component:module:page.adoc[Elsewhere]',
    'image::a.png[]',
    'image:https://example.com/a.png[]',
    '== Here\n\n<<_here>>',
    '----\nxref:none.adoc[]\n----\n',
  ])('is accepted: %s', async (text) => expect(await findIn(text)).toEqual([]))

  it.each([
    ['== Section\n\n==== Too deep\n', 'section title out of sequence'],
    ['Text\n\n----\ncode\n', 'unterminated listing block'],
    ['xref:none.adoc[None]', 'there is no such file or page'],
    ['xref:api.adoc#none[None]', 'no such heading'],
    ['xref:admin:none.adoc[None]', 'there is no such file or page'],
    ['image::none.png[]', 'there is no such file or page'],
    ['<<none>>', 'no such heading'],
  ])('is reported: %s', async (text, problem) => {
    expect(await findIn(text)).toEqual([expect.stringContaining(problem)])
  })
})

describe('reStructuredText', () => {
  const files = { 'conf.py': '', 'api.md': '# API\n', 'guide/intro.rst': 'Intro\n=====\n', 'img/a.png': '' }
  const findIn = (text: string) => find('guide/here.rst', { ...files, 'guide/here.rst': text })

  it.each([
    ':doc:`intro`, :doc:`the API </api>`, :doc:`../api`',
    '.. toctree::\n   :maxdepth: 1\n\n   intro\n   The API </api>\n   https://example.com\n\nText.\n',
    '.. toctree::\n   :glob:\n\n   *\n',
    '.. image:: /img/a.png\n\n.. figure:: ../img/a.png\n',
    'Title\n=====\n\n.. custom:: x\n\n   :role:`text` |substitution|\n',
  ])('is accepted: %s', async (text) => expect(await findIn(text)).toEqual([]))

  it('reports syntax errors if docutils is installed, and says so otherwise', async () => {
    const path = 'guide/here.rst'
    const now = { ...files, [path]: 'Title\n====\n\n*emphasis\n\n.. note::\n' }
    const [result] = await checkChangedPages(
      [path],
      new PageChecker(createTree(files), site),
      new PageChecker(createTree(now), site),
    )
    if (spawnSync('python3', ['-c', 'import docutils']).status === 0) {
      expect(result?.status).toBe('failed')
      expect(result?.findings).toEqual([
        'guide/here.rst:2: Title underline too short.',
        'guide/here.rst:4: Inline emphasis start-string without end-string.',
        expect.stringMatching(/^guide\/here\.rst:6: Content block expected for the "note" directive/),
      ])
    } else {
      expect(result?.status).toBe('not_checked')
      expect(result?.findings).toEqual([expect.stringContaining('python3-docutils')])
    }
  })

  it.each([
    [':doc:`none`', 'there is no such file or page'],
    ['Text.\n\n.. toctree::\n\n   intro\n   none\n', '6 the link to `none`'],
    ['.. image:: none.png\n', 'there is no such file or page'],
  ])('is reported: %s', async (text, problem) => {
    expect(await findIn(text)).toEqual([expect.stringContaining(problem)])
  })
})
