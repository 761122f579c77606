/** Builds results that a hostile runner could send. */
import { exampleSites } from '../../content-gate/testing/example-sites.ts'
import type { ResultRefusalCode } from '../bare-repository.ts'
import {
  type CraftedCommit,
  type CraftedFile,
  type CraftedFiles,
  compareTreeEntries,
  craftCommit,
  createChangeBundle,
  encodeUtf8Path,
} from './craft-commit.ts'
import {
  craftCommitObject,
  craftGitObject,
  craftTreeObject,
  createBundle,
  createPack,
  createPackFromEntries,
  type GitObject,
  type TreeEntry,
} from './craft-objects.ts'
import { baseFiles } from './host-test-repository.ts'

/** Requires a base with `attackedFiles` and the docs folder `docs`. */
export type HostileResult = {
  name: string
  /** The only reason to refuse it. */
  code: ResultRefusalCode
  hostile(base: CraftedCommit): Buffer
  /** A result that is as similar as possible, but allowed. */
  harmless(base: CraftedCommit): Buffer
}

/** An id for which no object exists. */
export const missingObjectId = 'badc0de'.repeat(6).slice(0, 40)

/** Includes existing files that an agent may not change, and a site of every generator. */
export const attackedFiles: CraftedFiles = {
  ...baseFiles,
  ...exampleSites,
  '.gitattributes': '*.png binary\n',
  '.github/CODEOWNERS': '* @docs\n',
  '.github/workflows/release.yml': 'on: push\n',
  'docs/latest': { mode: '120000', contents: 'guide' },
  'docs/tool.md': { mode: '100755', contents: '# Tool\n' },
  'docs/vendored': { mode: '160000', id: missingObjectId },
}

export type FileChanges = Record<string, CraftedFile | string | undefined>

export const pageText = '# A page\n'
export const harmlessChange: FileChanges = { 'docs/page.md': pageText }

export const createHostileChangeResult = (
  code: ResultRefusalCode,
  name: string,
  hostile: FileChanges,
  harmless: FileChanges = harmlessChange,
): HostileResult => ({
  name,
  code,
  hostile: (base) => createChangeBundle(base, hostile),
  harmless: (base) => createChangeBundle(base, harmless),
})

/** A new file with this path. */
export const createHostileFileResult = (
  code: ResultRefusalCode,
  path: string,
  harmless = 'docs/page.md',
): HostileResult =>
  createHostileChangeResult(
    code,
    `file ${JSON.stringify(path)}`,
    { [encodeUtf8Path(path)]: pageText },
    { [encodeUtf8Path(harmless)]: pageText },
  )

export const createHostileBundleResult = (
  code: ResultRefusalCode,
  name: string,
  hostile: (base: CraftedCommit) => Buffer,
  harmless: (base: CraftedCommit) => Buffer = (base) => createChangeBundle(base, harmlessChange),
): HostileResult => ({ name, code, hostile, harmless })

/** A result with this tree and these objects. `entries` are added to the pack as they are. */
export function createBundleWithObjects(
  base: CraftedCommit,
  tree: string,
  objects: readonly GitObject[],
  entries: readonly Buffer[] = [],
): Buffer {
  const commit = craftCommitObject(tree, [base.id])
  const plainPack = createPack([commit, ...objects])
  const pack =
    entries.length === 0
      ? plainPack
      : createPackFromEntries([plainPack.subarray(12, -20), ...entries], 1 + objects.length + entries.length)
  return createBundle({ bases: [base.id], refs: { HEAD: commit.id }, pack })
}

/** The files of the base with another tree as the docs folder. */
export function createBundleWithDocsTree(
  base: CraftedCommit,
  docs: GitObject,
  objects: readonly GitObject[] = [],
): Buffer {
  const others = Object.entries(base.files).filter(([path]) => !path.startsWith('docs/'))
  const result = craftCommit({ ...Object.fromEntries(others), docs: { mode: '40000', id: docs.id } }, [base.id])
  const added = [...result.objects.values()].filter(({ id }) => !base.objects.has(id))
  return createBundle({
    bases: [base.id],
    refs: { HEAD: result.id },
    pack: createPack(new Set([...added, ...objects, docs])),
  })
}

/** The docs folder of the base with one more entry, which may be invalid. */
export function createBundleWithDocsEntry(
  base: CraftedCommit,
  entry: TreeEntry,
  objects: readonly GitObject[] = [],
): Buffer {
  const docs = craftTreeObject([...readFolderEntries(base, 'docs'), entry].toSorted(compareTreeEntries))
  return createBundleWithDocsTree(base, docs, objects)
}

/** The entries of a folder of the base. */
export function readFolderEntries(base: CraftedCommit, folder: string): TreeEntry[] {
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

export const createBlobEntry = (name: string, contents: string): TreeEntry => ({
  mode: '100644',
  name,
  id: craftGitObject('blob', contents).id,
})
