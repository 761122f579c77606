/** Results that are too large, including a few bytes that expand to gigabytes. */
import { type CraftedCommit, compareTreeEntries, createChangeBundle } from './craft-commit.ts'
import {
  craftCommitObject,
  craftGitObject,
  craftPackEntry,
  craftTreeObject,
  createBundle,
  createPack,
  createPackFromEntries,
  type GitObject,
  type TreeEntry,
} from './craft-objects.ts'
import {
  createBundleWithDocsTree,
  createBundleWithObjects,
  createHostileBundleResult,
  createHostileChangeResult,
  type FileChanges,
  type HostileResult,
  harmlessChange,
  pageText,
} from './hostile-result.ts'

const files = (count: number, contents: (index: number) => string, folder = (_: number) => 'docs/many'): FileChanges =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder(index)}/${index}.md`, contents(index)]))

/** `levels` of directories with `width` entries each that all point to the same object: a few objects, width^levels files. */
function bomb(levels: number, width: number, leaf: GitObject): { docs: GitObject; objects: GitObject[] } {
  const objects = [leaf]
  let child = leaf
  for (let level = 0; level < levels; level++) {
    const mode = child.type === 'tree' ? '40000' : '100644'
    const { id } = child
    const suffix = child.type === 'tree' ? '' : '.md'
    const entries = Array.from({ length: width }, (_, index) => ({ mode, name: `d${index}${suffix}`, id }))
    child = craftTreeObject(entries.toSorted(compareTreeEntries))
    objects.push(child)
  }
  return { docs: child, objects }
}

/** Nested directories, each with so many files that its tree is about as large as an object may be. */
function wideLevels(base: CraftedCommit, levels: number, width: number): Buffer {
  const { id } = craftGitObject('blob', pageText)
  const names = Array.from({ length: width }, (_, index) => `page-${String(index).padStart(7, '0')}.md`)
  const objects: GitObject[] = [craftGitObject('blob', pageText)]
  let child: TreeEntry[] = []
  for (let level = 0; level < levels; level++) {
    const tree = craftTreeObject([...child, ...names.map((name) => ({ mode: '100644', name: `${level}-${name}`, id }))])
    objects.push(tree)
    child = [{ mode: '40000', name: '!', id: tree.id }]
  }
  return createBundleWithDocsTree(base, craftTreeObject(child), objects)
}

/** Created once, because compressing a gibibyte takes seconds. */
let gibibyteOfZeros: Buffer | undefined
function zeros(): Buffer {
  gibibyteOfZeros ??= craftPackEntry(3, Buffer.alloc(1024 ** 3))
  return gibibyteOfZeros
}

function variableLength(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(0x80 | (rest % 128))
  return Buffer.from([...bytes, rest])
}

export const oversizedResults: readonly HostileResult[] = [
  createHostileChangeResult(
    'too_many_files',
    '501 pages',
    files(501, () => pageText),
    files(500, () => pageText),
  ),
  createHostileChangeResult(
    'too_many_files',
    '10,000 pages',
    files(10_000, (index) => `# ${index}\n`),
  ),
  createHostileChangeResult(
    'too_many_directories',
    '500 pages, each in its own chain of 20 directories',
    files(
      500,
      () => pageText,
      (index) => `docs/${`${index}/`.repeat(19)}${index}`,
    ),
    files(
      400,
      () => pageText,
      (index) => `docs/${`${index}/`.repeat(9)}${index}`,
    ),
  ),
  createHostileChangeResult(
    'changes_too_large',
    '11 MB of pages',
    files(11, (index) => `${index}`.repeat(1024 * 1024)),
    files(9, (index) => `${index}`.repeat(1024 * 1024)),
  ),
  createHostileBundleResult('object_too_large', 'a gibibyte of zeros', (base) =>
    createBundleWithObjects(base, base.tree, [], [zeros()]),
  ),
  createHostileBundleResult('invalid_pack', 'a gibibyte with a small declared size', (base) => {
    const bytes = Buffer.concat([Buffer.from([(3 << 4) | 10]), zeros().subarray(6)])
    return createBundleWithObjects(base, base.tree, [], [bytes])
  }),
  createHostileBundleResult('object_too_large', 'a delta that expands to a gibibyte', (base) => {
    const delta = Buffer.from([0x01, 0x80, 0x80, 0x80, 0x80, 0x04, 0x90, 0x01])
    return createBundleWithObjects(
      base,
      base.tree,
      [],
      [craftPackEntry(7, delta, { base: craftGitObject('blob', '# Project\n').id })],
    )
  }),
  createHostileBundleResult('unpacked_too_large', 'seven files of 9.9 MB that compress to almost nothing', (base) => {
    const large = Array.from({ length: 7 }, (_, index) => craftGitObject('blob', Buffer.alloc(9_900_000, index)))
    return createBundleWithObjects(base, base.tree, large)
  }),
  createHostileBundleResult('unpacked_too_large', 'deltas of a small page that expand to 9 MB each', (base) => {
    const delta = Buffer.concat([variableLength(10), variableLength(9_000_000), Buffer.from([0x90, 0x01])])
    const entry = craftPackEntry(7, delta, { base: craftGitObject('blob', '# Project\n').id })
    return createBundleWithObjects(base, base.tree, [], Array<Buffer>(8).fill(entry))
  }),
  createHostileBundleResult('too_many_objects', 'four billion declared objects', (base) => {
    const commit = craftCommitObject(base.tree, [base.id])
    return createBundle({
      bases: [base.id],
      refs: { HEAD: commit.id },
      pack: createPackFromEntries([createPack([commit]).subarray(12, -20)], 0xffffffff),
    })
  }),
  createHostileBundleResult('too_many_files', 'a git bomb: 10^10 files in 12 objects', (base) => {
    const { docs, objects } = bomb(10, 10, craftGitObject('blob', pageText))
    return createBundleWithDocsTree(base, docs, objects)
  }),
  createHostileBundleResult('empty_directory', 'a git bomb of directories without files', (base) => {
    const { docs, objects } = bomb(10, 10, craftTreeObject([]))
    return createBundleWithDocsTree(base, docs, objects)
  }),
  createHostileBundleResult('too_many_files', 'six nested directories of 200,000 files each', (base) =>
    wideLevels(base, 6, 200_000),
  ),
  createHostileBundleResult('path_too_deep', 'directories nested 10,000 levels deep', (base) => {
    const { docs, objects } = bomb(10_000, 1, craftGitObject('blob', pageText))
    return createBundleWithDocsTree(base, docs, objects)
  }),
  createHostileBundleResult('bundle_too_large', 'more bytes than allowed', (base) =>
    Buffer.concat([createChangeBundle(base, harmlessChange), Buffer.alloc(24 * 1024 * 1024)]),
  ),
]
