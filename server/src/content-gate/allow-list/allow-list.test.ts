import { describe, expect, it } from 'vitest'
import {
  type AllowListPolicy,
  type ChangeToCheck,
  escapePathForDisplay,
  findChangeRefusals,
  maxNewBytes,
} from './allow-list.ts'

const regularFile = '100644'
const inFolder = (...docsFolders: string[]): AllowListPolicy => ({
  docsFolders,
  allowedPaths: [],
  isSiteNavigation: (path) => path === 'mkdocs.yml' || path === 'docs/.vitepress/config.ts',
})
const docs = inFolder('docs')

function change(path: string, overrides: Partial<ChangeToCheck> = {}): ChangeToCheck {
  return { path: Buffer.from(path), beforeMode: undefined, afterMode: regularFile, newBytes: 1, ...overrides }
}
const codes = (changes: ChangeToCheck[], policy = docs) =>
  findChangeRefusals(changes, [], policy).map(({ code }) => code)

describe('findChangeRefusals', () => {
  it.each([
    'docs/a.md',
    'docs/a.mdx',
    'docs/a.markdown',
    'docs/a.rst',
    'docs/a.adoc',
    'docs/A.MD',
    'docs/a.b.md',
    'docs/a.png',
    'docs/a.jpg',
    'docs/a.jpeg',
    'docs/a.gif',
    'docs/a.webp',
    'docs/a.avif',
    'docs/a.ico',
    'docs/_meta.json',
    'docs/a.svg',
    'docs/.nav.yml',
    'mkdocs.yml',
    'docs/.vitepress/config.ts',
    'docs/x/toc.yml',
    'docs/.pages',
    'docs/SUMMARY.md',
    'docs/llms.txt',
    'docs/(group)/[slug]/a.md',
    'docs/日本語.md',
    'docs/é.md',
    'docs/设定（基本）.md',
    'docs/what is new.md',
    'docs/a+b=c@d,e!.md',
    'docs/agents.md',
    'docs/claude.md',
    'docs/codeowners.md',
    'docs/github/a.md',
    'docs/constant.md',
  ])('allows %s', (path) => {
    expect(codes([change(path)])).toEqual([])
  })

  it.each([
    'docs/a',
    'docs/a.html',
    'docs/docs.json',
    'docs/a.js',
    'docs/a.ts',
    'docs/a.py',
    'docs/a.json',
    'docs/a.yml',
    'docs/a.txt',
    'docs/requirements.txt',
    'docs/Makefile',
    'docs/book.toml',
    'docs/mkdocs.yml',
    'docs/a.md.exe',
  ])('refuses the file type of %s', (path) => {
    expect(codes([change(path)])).toEqual(['unsupported_file_type'])
  })

  it.each(['a.md', 'doc/a.md', 'docs.md', 'docs2/a.md', 'Docs/a.md', 'x/docs/a.md'])(
    'refuses %s outside the docs folder',
    (path) => {
      expect(codes([change(path)])).toEqual(['outside_docs_folder'])
    },
  )

  it('allows the whole repository if the docs folder is empty, except hidden files', () => {
    const everywhere = inFolder('')
    expect(codes([change('a.md'), change('x/y/b.png')], everywhere)).toEqual([])
    expect(codes([change('.cursor/rules/a.md'), change('.a.md'), change('x/.y/a.md')], everywhere)).toEqual([
      'hidden_file',
      'hidden_file',
      'hidden_file',
    ])
    expect(codes([change('.docs/a.md')], inFolder('.docs'))).toEqual([])
  })

  it('allows several docs folders, each with its own hidden files', () => {
    const policy = inFolder('docs', 'packages/site/content', '.internal/docs')
    expect(
      codes([change('docs/a.md'), change('packages/site/content/b.md'), change('.internal/docs/c.md')], policy),
    ).toEqual([])
    expect(codes([change('packages/site/b.md'), change('.internal/c.md'), change('docs/.x/a.md')], policy)).toEqual([
      'outside_docs_folder',
      'outside_docs_folder',
      'hidden_file',
    ])
    expect(codes([change('.docs/a.md')], inFolder('', '.docs'))).toEqual([])
  })

  it('allows further paths of any type, but never protected files, unsafe names and other modes', () => {
    const policy: AllowListPolicy = { ...docs, allowedPaths: ['openapi.yaml', 'examples/', '.vale/', '.npmrc'] }
    const allowed = ['openapi.yaml', 'examples/a.py', 'examples/x/a.js', '.vale/styles/a.yml', '.npmrc', 'docs/a.md']
    expect(
      codes(
        allowed.map((path) => change(path)),
        policy,
      ),
    ).toEqual([])
    const refused = [
      'openapi.yml',
      'openapi.yaml/a',
      'examples',
      'examples2/a.py',
      'x/examples/a.py',
      'examples/.claude/settings.json',
      'examples/.envrc',
      'docs/a.py',
    ]
    expect(
      codes(
        refused.map((path) => change(path)),
        policy,
      ),
    ).toEqual([...Array.from({ length: 7 }, () => 'outside_docs_folder'), 'unsupported_file_type'])
    expect(
      codes(
        [
          change('examples/.github/workflows/a.yml'),
          change('examples/CODEOWNERS'),
          change('examples/AGENTS.md'),
          change('examples/.gitattributes'),
          change('examples/../a.py'),
          change('examples/a.py', { afterMode: '100755' }),
          change('examples/a`id`.py'),
        ],
        policy,
      ),
    ).toEqual([
      'ci_file',
      'codeowners',
      'agent_instructions',
      'git_configuration',
      'path_traversal',
      'executable',
      'unsafe_character',
    ])
  })

  it.each([
    ['120000', 'symlink'],
    ['160000', 'submodule'],
    ['100755', 'executable'],
    ['100664', 'unsupported_mode'],
    ['40000', 'unsupported_mode'],
    ['', 'unsupported_mode'],
  ])('refuses mode %j before or after the change: %s', (mode, code) => {
    expect(codes([change('docs/a.md', { afterMode: mode })])).toEqual([code])
    expect(codes([change('docs/a.md', { beforeMode: mode })])).toEqual([code])
    expect(codes([change('docs/a.md', { beforeMode: mode, afterMode: undefined })])).toEqual([code])
  })

  it('allows an existing file with an unsafe name to be edited and removed', () => {
    const path = 'docs/cafe\u0301: what?.md'
    expect(codes([change(path)])).toEqual(['not_normalized'])
    expect(codes([change(path, { beforeMode: regularFile })])).toEqual([])
    expect(codes([change(path, { beforeMode: regularFile, afterMode: undefined })])).toEqual([])
  })

  it.each([
    ['path_traversal', 'docs/../a.md'],
    ['path_traversal', 'docs//a.md'],
    ['path_traversal', 'docs/./a.md'],
    ['path_traversal', '/docs/a.md'],
    ['dot_git', 'docs/.git/a.md'],
    ['dot_git', 'docs/.Git. ./a.md'],
    ['dot_git', 'docs/.g\u200di\u200ct/a.md'],
    ['dot_git', 'docs/GIT~1/a.md'],
    ['dot_git', 'docs/.git:$DATA/a.md'],
    ['git_configuration', 'docs/.gitmodules'],
    ['git_configuration', 'docs/.GitAttributes'],
    ['git_configuration', 'docs/GITMOD~1'],
    ['ci_file', '.github/workflows/a.yml'],
    ['ci_file', 'docs/.GITHUB/a.md'],
    ['ci_file', 'docs/.gitlab-ci.yml'],
    ['ci_file', 'docs/jenkinsfile'],
    ['codeowners', 'CODEOWNERS'],
    ['codeowners', 'docs/CodeOwners'],
    ['agent_instructions', 'docs/AGENTS.md'],
    ['agent_instructions', 'docs/CLAUDE.md'],
    ['agent_instructions', 'agents.md'],
    ['agent_instructions', 'Claude.md'],
    ['agent_instructions', 'replit.md'],
    ['control_character', 'docs/a\u0000.md'],
    ['control_character', 'docs/a\r.md'],
    ['control_character', 'docs/a\u0085.md'],
    ['unsafe_unicode', 'docs/a\u2028.md'],
    ['unsafe_unicode', 'docs/a\u3000.md'],
    ['unsafe_unicode', 'docs/a\u2066.md'],
    ['unsafe_unicode', 'docs/a\u00ad.md'],
    ['unsafe_unicode', 'docs/a\ufe0f.md'],
    ['unsafe_unicode', 'docs/a\u{10ffff}.md'],
    ['unsafe_unicode', 'docs/a\u2024md.md'],
    ['unsafe_unicode', 'docs/a\uff1ab.md'],
    ['not_normalized', 'docs/A\u030a.md'],
    ['reserved_name', 'docs/NUL'],
    ['reserved_name', 'docs/com1.tar.md'],
    ['reserved_name', 'docs/Aux/a.md'],
    ['unsafe_character', 'docs/a"b.md'],
    ['unsafe_character', 'docs/a`id`.md'],
    ['unsafe_character', 'docs/a;b.md'],
    ['unsafe_character', 'docs/a&b.md'],
    ['unsafe_character', "docs/it's.md"],
    ['unsafe_character', 'docs/ a.md'],
    ['unsafe_character', 'docs/a /b.md'],
    ['path_too_long', `docs/${'ä'.repeat(101)}.md`],
    ['path_too_long', `docs/${'abcdefghi/'.repeat(40)}a.md`],
  ])('refuses with %s: %j', (code, path) => {
    expect(codes([change(path)])).toEqual([code])
  })

  it('refuses names that are not UTF-8', () => {
    const path = Buffer.from('docs/caf\u00e9.md', 'latin1')
    expect(findChangeRefusals([{ ...change(''), path }], [], docs)).toEqual([
      { code: 'not_utf8', path: 'docs/caf\ufffd.md' },
    ])
  })

  it('limits the number of files and the size of new content', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => change(`docs/${index}.md`))
    expect(codes(many(500))).toEqual([])
    expect(codes(many(501))).toEqual(['too_many_files'])
    expect(codes([change('docs/a.png', { newBytes: maxNewBytes })])).toEqual([])
    expect(codes([change('docs/a.png', { newBytes: maxNewBytes }), change('docs/b.md')])).toEqual(['changes_too_large'])
  })

  it('refuses new names that are the same file on other file systems', () => {
    const grown = (names: string[], added: string[]) => [
      {
        path: Buffer.from('docs'),
        names: names.map((name) => Buffer.from(name)),
        added: added.map((name) => Buffer.from(name)),
      },
    ]
    for (const [existing, colliding] of [
      ['a.md', 'A.md'],
      ['straße.md', 'STRASSE.md'],
      ['\u212a.md', 'k.md'],
      ['ﬁ.md', 'fi.md'],
      ['e\u0301.md', '\u00e9.md'],
    ] as const) {
      expect(findChangeRefusals([], grown([existing, colliding], [colliding]), docs)).toEqual([
        { code: 'case_collision', path: `docs/${colliding}` },
      ])
      expect(findChangeRefusals([], grown([existing, colliding, 'new.md'], ['new.md']), docs)).toEqual([])
    }
  })

  it('names every refused path in printable form', () => {
    const refusals = findChangeRefusals([change('docs/a\u001b[2J\u202e.md'), change('a.md')], [], docs)
    expect(refusals).toEqual([
      { code: 'control_character', path: 'docs/a\\u{1b}[2J\\u{202e}.md' },
      { code: 'outside_docs_folder', path: 'a.md' },
    ])
    expect(escapePathForDisplay(Buffer.from('a b\u00a0\\'))).toBe('a b\\u{a0}\\u{5c}')
  })
})
