/** What a hostile runner could send, and how it is made. */
import type { ResultRefusalCode } from '../bare-repository.ts'
import {
  asGitSorts,
  bundleOfChange,
  type CraftedCommit,
  type CraftedFile,
  type CraftedFiles,
  craftCommit,
  utf8,
} from './craft-commit.ts'
import {
  bundleOf,
  commitObject,
  type GitObject,
  gitObject,
  packOf,
  packOfEntries,
  type TreeEntry,
  treeObject,
} from './craft-objects.ts'
import { baseFiles } from './host-repository.ts'

/** For a base with `attackedFiles` and the docs folder `docs`. */
export type HostileResult = {
  name: string
  /** The one reason to refuse it. */
  code: ResultRefusalCode
  hostile(base: CraftedCommit): Buffer
  /** As close to it as can be, and allowed. */
  harmless(base: CraftedCommit): Buffer
}

/** An id of nothing. */
export const anyId = 'badc0de'.repeat(6).slice(0, 40)

/** With what an agent must leave alone also where it is there already. */
export const attackedFiles: CraftedFiles = {
  ...baseFiles,
  '.gitattributes': '*.png binary\n',
  '.github/CODEOWNERS': '* @docs\n',
  '.github/workflows/release.yml': 'on: push\n',
  'docs/latest': { mode: '120000', contents: 'guide' },
  'docs/tool.md': { mode: '100755', contents: '# Tool\n' },
  'docs/vendored': { mode: '160000', id: anyId },
}

export type Change = Record<string, CraftedFile | string | undefined>

export const page = '# A page\n'
export const plain: Change = { 'docs/page.md': page }

export const change = (
  code: ResultRefusalCode,
  name: string,
  hostile: Change,
  harmless: Change = plain,
): HostileResult => ({
  name,
  code,
  hostile: (base) => bundleOfChange(base, hostile),
  harmless: (base) => bundleOfChange(base, harmless),
})

/** A new page under this path. */
export const newFile = (code: ResultRefusalCode, path: string, harmless = 'docs/page.md'): HostileResult =>
  change(code, `file ${JSON.stringify(path)}`, { [utf8(path)]: page }, { [utf8(harmless)]: page })

export const bundle = (
  code: ResultRefusalCode,
  name: string,
  hostile: (base: CraftedCommit) => Buffer,
  harmless: (base: CraftedCommit) => Buffer = (base) => bundleOfChange(base, plain),
): HostileResult => ({ name, code, hostile, harmless })

/** An honest result with objects added or put in another's place; `entries` are of the pack, as they are. */
export function withObjects(
  base: CraftedCommit,
  tree: string,
  objects: readonly GitObject[],
  entries: readonly Buffer[] = [],
): Buffer {
  const commit = commitObject(tree, [base.id])
  const known = packOf([commit, ...objects])
  const pack =
    entries.length === 0
      ? known
      : packOfEntries([known.subarray(12, -20), ...entries], 1 + objects.length + entries.length)
  return bundleOf({ bases: [base.id], refs: { HEAD: commit.id }, pack })
}

/** The base's files with another tree as the docs folder. */
export function withDocs(base: CraftedCommit, docs: GitObject, objects: readonly GitObject[] = []): Buffer {
  const others = Object.entries(base.files).filter(([path]) => !path.startsWith('docs/'))
  const result = craftCommit({ ...Object.fromEntries(others), docs: { mode: '40000', id: docs.id } }, [base.id])
  const added = [...result.objects.values()].filter(({ id }) => !base.objects.has(id))
  return bundleOf({ bases: [base.id], refs: { HEAD: result.id }, pack: packOf(new Set([...added, ...objects, docs])) })
}

/** The base's docs folder with one more entry, which may be anything. */
export function withEntry(base: CraftedCommit, entry: TreeEntry, objects: readonly GitObject[] = []): Buffer {
  const docs = treeObject([...entriesOf(base, 'docs'), entry].toSorted(asGitSorts))
  return withDocs(base, docs, objects)
}

/** What is in a folder of the base. */
export function entriesOf(base: CraftedCommit, folder: string): TreeEntry[] {
  const inside = Object.entries(base.files).filter(([path]) => path.startsWith(`${folder}/`))
  const { objects, tree } = craftCommit(
    Object.fromEntries(inside.map(([path, file]) => [path.slice(folder.length + 1), file])),
    [],
  )
  return readTree(objects.get(tree)?.contents ?? Buffer.alloc(0))
}

function readTree(contents: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let position = 0; position < contents.length; ) {
    const nameEnd = contents.indexOf(0, position)
    const [mode = '', ...name] = contents.toString('latin1', position, nameEnd).split(' ')
    entries.push({ mode, name: name.join(' '), id: contents.toString('hex', nameEnd + 1, nameEnd + 21) })
    position = nameEnd + 21
  }
  return entries
}

export const blobEntry = (name: string, contents: string): TreeEntry => ({
  mode: '100644',
  name,
  id: gitObject('blob', contents).id,
})
