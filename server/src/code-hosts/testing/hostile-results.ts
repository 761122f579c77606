/** Bundles that a hostile runner could send, each with the one reason to refuse it and a harmless twin. */
import { createHash } from 'node:crypto'
import type { ResultRefusalCode } from '../bare-repository.ts'
import {
  asGitSorts,
  bundleOfChange,
  bundleOfCommit,
  type CraftedCommit,
  type CraftedFile,
  craftCommit,
  utf8,
} from './craft-commit.ts'
import {
  bundleOf,
  commitObject,
  type GitObject,
  gitObject,
  packEntry,
  packOf,
  packOfEntries,
  treeObject,
} from './craft-objects.ts'

/** For a base with `baseFiles` of gitea-repository.ts and the docs folder `docs`. */
export type HostileResult = {
  name: string
  code: ResultRefusalCode
  hostile(base: CraftedCommit): Buffer
  harmless(base: CraftedCommit): Buffer
}

type Change = Record<string, CraftedFile | string | undefined>

const page = '# A page\n'
const plain: Change = { 'docs/page.md': page }

const change = (code: ResultRefusalCode, name: string, hostile: Change, harmless: Change = plain): HostileResult => ({
  name,
  code,
  hostile: (base) => bundleOfChange(base, hostile),
  harmless: (base) => bundleOfChange(base, harmless),
})

/** A new page under this path. */
const newFile = (code: ResultRefusalCode, path: string, harmless = 'docs/page.md'): HostileResult =>
  change(code, `file ${JSON.stringify(path)}`, { [utf8(path)]: page }, { [utf8(harmless)]: page })

const bundle = (
  code: ResultRefusalCode,
  name: string,
  hostile: (base: CraftedCommit) => Buffer,
  harmless: (base: CraftedCommit) => Buffer = (base) => bundleOfChange(base, plain),
): HostileResult => ({ name, code, hostile, harmless })

const files = (count: number, contents: (index: number) => string): Change =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`docs/many/page-${index}.md`, contents(index)]))

/** An honest result with objects added or put in another's place. */
function withObjects(
  base: CraftedCommit,
  tree: string,
  objects: readonly GitObject[],
  entries: readonly Buffer[] = [],
) {
  const commit = commitObject(tree, [base.id])
  const known = packOf([commit, ...objects])
  const pack =
    entries.length === 0
      ? known
      : packOfEntries([known.subarray(12, -20), ...entries], 1 + objects.length + entries.length)
  return bundleOf({ bases: [base.id], refs: { HEAD: commit.id }, pack })
}

/** The base's files with another tree as the docs folder. */
function withDocs(base: CraftedCommit, docs: GitObject, objects: readonly GitObject[] = []): Buffer {
  const others = Object.entries(base.files).filter(([path]) => !path.startsWith('docs/'))
  const result = craftCommit({ ...Object.fromEntries(others), docs: { mode: '40000', id: docs.id } }, [base.id])
  const added = [...result.objects.values()].filter(({ id }) => !base.objects.has(id))
  return bundleOf({ bases: [base.id], refs: { HEAD: result.id }, pack: packOf(new Set([...added, ...objects, docs])) })
}

const blobEntry = (name: string, contents: string) => ({ mode: '100644', name, id: gitObject('blob', contents).id })

/** `levels` of directories with `width` entries each, all leading to the same: a few objects, width^levels files. */
function bomb(levels: number, width: number, leaf: GitObject): { docs: GitObject; objects: GitObject[] } {
  const objects = [leaf]
  let below = leaf
  for (let level = 0; level < levels; level++) {
    const mode = below.type === 'tree' ? '40000' : '100644'
    const { id } = below
    const suffix = below.type === 'tree' ? '' : '.md'
    const entries = Array.from({ length: width }, (_, index) => ({ mode, name: `d${index}${suffix}`, id }))
    below = treeObject(entries.toSorted(asGitSorts))
    objects.push(below)
  }
  return { docs: below, objects }
}

/** Made once: a gibibyte takes seconds to compress. */
let gibibyteOfZeros: Buffer | undefined
function zeros(): Buffer {
  gibibyteOfZeros ??= packEntry(3, Buffer.alloc(1024 ** 3))
  return gibibyteOfZeros
}

const anyId = createHash('sha1').update('nothing').digest('hex')

export const hostileResults: readonly HostileResult[] = [
  // What runs on the host or in CI
  newFile('ci_file', '.github/workflows/build.yml'),
  newFile('ci_file', 'docs/.github/page.md', 'docs/github/page.md'),
  newFile('ci_file', '.GitHub/workflows/build.md'),
  newFile('ci_file', '.gitlab-ci.yml'),
  newFile('ci_file', '.gitea/workflows/build.yaml'),
  newFile('ci_file', '.forgejo/workflows/build.yaml'),
  newFile('ci_file', '.circleci/config.yml'),
  newFile('ci_file', '.woodpecker/build.yml'),
  newFile('ci_file', 'docs/Jenkinsfile', 'docs/Jenkinsfile.md'),
  newFile('ci_file', '.travis.yml'),
  newFile('ci_file', 'azure-pipelines.yml'),
  newFile('code_owners', 'CODEOWNERS'),
  newFile('code_owners', 'docs/CODEOWNERS', 'docs/codeowners.md'),
  newFile('agent_instructions', 'docs/AGENTS.md', 'docs/agents.md'),
  newFile('agent_instructions', 'docs/CLAUDE.local.md', 'docs/claude.md'),
  newFile('git_configuration', '.gitmodules'),
  newFile('git_configuration', 'docs/.gitattributes', 'docs/gitattributes.md'),
  newFile('git_configuration', 'docs/.gitignore', 'docs/gitignore.md'),
  newFile('git_configuration', 'docs/gi7eba~1', 'docs/gi7eba.md'),

  // Not a plain file
  change('submodule', 'a submodule', { 'docs/other': { mode: '160000', id: anyId } }),
  change('link', 'a link', { 'docs/passwords.md': { mode: '120000', contents: '/etc/passwd' } }),
  change('link', 'a page turned into a link', { 'docs/index.md': { mode: '120000', contents: '../README.md' } }),
  change('executable', 'an executable page', { 'docs/run.md': { mode: '100755', contents: page } }),
  change('executable', 'a page made executable', { 'docs/guide/start.md': { mode: '100755', contents: '# Start\n' } }),
  change('odd_mode', 'a mode that git no longer writes', { 'docs/page.md': { mode: '100664', contents: page } }),

  // .git, as file systems read it
  ...['docs/.git/config', 'docs/.GIT/config', 'docs/.git./config', 'docs/.git /config', 'docs/git~1/config'].map(
    (path) => newFile('dot_git', path, 'docs/git/config.md'),
  ),
  ...['.g\u200cit', '\u200e.git', '.git\u2060', '.GI\ufeffT', '.git::$INDEX_ALLOCATION', '．git', 'GIT~2'].map((name) =>
    newFile('dot_git', `docs/${name}/config`, 'docs/git/config.md'),
  ),

  // Names that are not what they seem
  newFile('control_character', 'docs/a\nb.md'),
  newFile('control_character', 'docs/\u001b[2Jpage.md'),
  newFile('control_character', 'docs/a\u007f.md'),
  newFile('odd_unicode', 'docs/a\u202egnp.md'),
  newFile('odd_unicode', 'docs/a\u200bb.md'),
  newFile('odd_unicode', 'docs/a\u00a0b.md', 'docs/a b.md'),
  newFile('odd_unicode', 'docs/\u{e0041}.md'),
  newFile('odd_unicode', 'docs/\ue000.md'),
  newFile('odd_unicode', 'docs／page.md'),
  newFile('not_normalised', 'docs/cafe\u0301.md', 'docs/caf\u00e9.md'),
  change('not_utf8', 'a name in Latin-1', { 'docs/caf\u00e9.md': page }, { [utf8('docs/caf\u00e9.md')]: page }),
  newFile('reserved_name', 'docs/con.md', 'docs/console.md'),
  newFile('reserved_name', 'docs/LPT1.png'),
  newFile('odd_character', 'docs/a:b.md'),
  newFile('odd_character', 'docs/a\\b.md'),
  newFile('odd_character', 'docs/$(id).md'),
  newFile('odd_character', 'docs/-rf.md'),
  newFile('odd_character', 'docs/folder./page.md'),
  newFile('case_collision', 'docs/INDEX.md'),
  newFile('case_collision', 'docs/Guide/other.md', 'docs/guide/other.md'),
  change('case_collision', 'two new pages in one', { [utf8('docs/straße.md')]: page, 'docs/STRASSE.md': page }),
  newFile('path_too_long', `docs/${'a'.repeat(210)}.md`, `docs/${'a'.repeat(190)}.md`),
  newFile('path_too_deep', `docs/${'a/'.repeat(35)}page.md`, `docs/${'a/'.repeat(20)}page.md`),
  bundle('path_traversal', 'a directory named ..', (base) => {
    const up = treeObject([blobEntry('page.md', page)])
    return withDocs(base, treeObject([{ mode: '40000', name: '..', id: up.id }]), [up, gitObject('blob', page)])
  }),

  // Elsewhere, or something else
  change('outside_docs_folder', 'a change outside the docs folder', { 'README.md': '# Mine\n' }),
  change(
    'outside_docs_folder',
    'a file removed outside the docs folder',
    { 'src/main.ts': undefined },
    {
      'docs/guide/start.md': undefined,
    },
  ),
  newFile('outside_docs_folder', 'docs-too/page.md'),
  newFile('file_type', 'docs/page.html'),
  newFile('file_type', 'docs/image.svg', 'docs/image.webp'),
  newFile('file_type', 'docs/conf.py'),
  newFile('file_type', 'docs/requirements.txt', 'docs/llms.txt'),
  newFile('file_type', 'docs/package.json', 'docs/docs.json'),
  newFile('file_type', 'docs/mkdocs.yml', 'docs/toc.yml'),
  newFile('hidden_file', 'docs/.vitepress/page.md', 'docs/.pages'),

  // Too much
  change(
    'too_many_files',
    '501 pages',
    files(501, () => page),
    files(500, () => page),
  ),
  change(
    'too_many_files',
    '10,000 pages',
    files(10_000, (index) => `# ${index}\n`),
  ),
  change(
    'too_large',
    '11 MB of pages',
    files(11, (index) => `${index}`.repeat(1024 * 1024)),
    files(9, (index) => `${index}`.repeat(1024 * 1024)),
  ),
  bundle('object_too_large', 'a gibibyte of zeros', (base) => withObjects(base, base.tree, [], [zeros()])),
  bundle('broken_pack', 'a gibibyte that claims to be small', (base) => {
    const bytes = Buffer.concat([Buffer.from([(3 << 4) | 10]), zeros().subarray(6)])
    return withObjects(base, base.tree, [], [bytes])
  }),
  bundle('object_too_large', 'a delta that makes a gibibyte', (base) => {
    const delta = Buffer.from([0x01, 0x80, 0x80, 0x80, 0x80, 0x04, 0x90, 0x01])
    return withObjects(base, base.tree, [], [packEntry(7, delta, { base: gitObject('blob', '# Project\n').id })])
  }),
  bundle('too_much_content', 'seven files of 9.9 MB that compress to nothing', (base) => {
    const large = Array.from({ length: 7 }, (_, index) => gitObject('blob', Buffer.alloc(9_900_000, index)))
    return withObjects(base, base.tree, large)
  }),
  bundle('too_many_objects', 'four billion objects, it says', (base) => {
    const commit = commitObject(base.tree, [base.id])
    return bundleOf({
      bases: [base.id],
      refs: { HEAD: commit.id },
      pack: packOfEntries([packOf([commit]).subarray(12, -20)], 0xffffffff),
    })
  }),
  bundle('too_many_files', 'a git bomb: 10^10 files in 12 objects', (base) => {
    const { docs, objects } = bomb(10, 10, gitObject('blob', page))
    return withDocs(base, docs, objects)
  }),
  bundle('empty_directory', 'a git bomb of directories without files', (base) => {
    const { docs, objects } = bomb(10, 10, treeObject([]))
    return withDocs(base, docs, objects)
  }),
  bundle('path_too_deep', 'directories 10,000 deep', (base) => {
    const { docs, objects } = bomb(10_000, 1, gitObject('blob', page))
    return withDocs(base, docs, objects)
  }),
  bundle('bundle_too_large', 'more bytes than are taken', (base) =>
    Buffer.concat([bundleOfChange(base, plain), Buffer.alloc(24 * 1024 * 1024)]),
  ),

  // Not what was agreed on
  bundle('wrong_base', 'another base', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': page }, [base.id])
    return bundleOf({ bases: [anyId], refs: { HEAD: result.id }, pack: packOf(result.objects.values()) })
  }),
  bundle('wrong_base', 'no base', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': page }, [])
    return bundleOf({ bases: [], refs: { HEAD: result.id }, pack: packOf(result.objects.values()) })
  }),
  bundle('wrong_base', 'a commit that does not descend from its base', (base) =>
    bundleOfCommit(base, craftCommit({ ...base.files, 'docs/page.md': page }, [])),
  ),
  bundle('extra_refs', 'a second branch', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': page }, [base.id])
    const refs = { HEAD: result.id, 'refs/heads/main': result.id }
    return bundleOf({ bases: [base.id], refs, pack: packOf(result.objects.values()) })
  }),
  bundle('extra_refs', 'a branch instead of HEAD', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': page }, [base.id])
    return bundleOf({ bases: [base.id], refs: { 'refs/heads/main': result.id }, pack: packOf(result.objects.values()) })
  }),
  bundle('not_a_bundle', 'no bundle at all', () => Buffer.from('hello')),
  bundle('not_a_bundle', 'a bundle of another version', (base) =>
    Buffer.concat([Buffer.from('# v3 git bundle\n@filter=blob:none\n'), bundleOfChange(base, plain).subarray(16)]),
  ),
  bundle('broken_pack', 'half a bundle', (base) => bundleOfChange(base, plain).subarray(0, -40)),
  bundle('broken_pack', 'something behind the last object', (base) => {
    const honest = bundleOfChange(base, plain)
    return Buffer.concat([honest.subarray(0, -20), Buffer.from('more'), honest.subarray(-20)])
  }),
  bundle('broken_objects', 'a wrong checksum', (base) => {
    return Buffer.concat([bundleOfChange(base, plain).subarray(0, -20), Buffer.alloc(20)])
  }),
  bundle('broken_objects', 'a directory out of order', (base) => {
    const docs = treeObject([blobEntry('b.md', page), blobEntry('a.md', page)])
    return withDocs(base, docs, [gitObject('blob', page)])
  }),
  bundle('broken_objects', 'a name twice in a directory', (base) => {
    const docs = treeObject([blobEntry('a.md', page), blobEntry('a.md', '# Other\n')])
    return withDocs(base, docs, [gitObject('blob', page), gitObject('blob', '# Other\n')])
  }),
  bundle('broken_objects', 'a commit without an author', (base) => {
    const commit = gitObject('commit', `tree ${base.tree}\nparent ${base.id}\n\nx\n`)
    return bundleOf({ bases: [base.id], refs: { HEAD: commit.id }, pack: packOf([commit]) })
  }),
  bundle('broken_objects', 'HEAD is a file', (base) => {
    const blob = gitObject('blob', page)
    return bundleOf({ bases: [base.id], refs: { HEAD: blob.id }, pack: packOf([blob]) })
  }),
  bundle('missing_object', 'a page whose contents are not there', (base) => {
    return bundleOfChange(base, { 'docs/page.md': { mode: '100644', id: anyId } })
  }),
  bundle('missing_object', 'a directory that is not there', (base) => {
    return bundleOfChange(base, { 'docs/folder': { mode: '40000', id: anyId } })
  }),
]
