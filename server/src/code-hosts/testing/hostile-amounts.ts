/** A few bytes that stand for more than anybody has room for. */
import { asGitSorts, bundleOfChange, type CraftedCommit } from './craft-commit.ts'
import {
  bundleOf,
  commitObject,
  type GitObject,
  gitObject,
  packEntry,
  packOf,
  packOfEntries,
  type TreeEntry,
  treeObject,
} from './craft-objects.ts'
import {
  bundle,
  type Change,
  change,
  type HostileResult,
  page,
  plain,
  withDocs,
  withObjects,
} from './hostile-result.ts'

const files = (count: number, contents: (index: number) => string, folder = (_: number) => 'docs/many'): Change =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder(index)}/${index}.md`, contents(index)]))

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

/** Directories with so many files that each is as large as an object may be, and the next level before the files. */
function wideLevels(base: CraftedCommit, levels: number, width: number): Buffer {
  const { id } = gitObject('blob', page)
  const names = Array.from({ length: width }, (_, index) => `page-${String(index).padStart(7, '0')}.md`)
  const objects: GitObject[] = [gitObject('blob', page)]
  let below: TreeEntry[] = []
  for (let level = 0; level < levels; level++) {
    const tree = treeObject([...below, ...names.map((name) => ({ mode: '100644', name: `${level}-${name}`, id }))])
    objects.push(tree)
    below = [{ mode: '40000', name: '!', id: tree.id }]
  }
  return withDocs(base, treeObject(below), objects)
}

/** Made once: a gibibyte takes seconds to compress. */
let gibibyteOfZeros: Buffer | undefined
function zeros(): Buffer {
  gibibyteOfZeros ??= packEntry(3, Buffer.alloc(1024 ** 3))
  return gibibyteOfZeros
}

function variableLength(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(0x80 | (rest % 128))
  return Buffer.from([...bytes, rest])
}

export const hostileAmounts: readonly HostileResult[] = [
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
    'too_many_directories',
    '500 pages, each at the end of 20 directories of its own',
    files(
      500,
      () => page,
      (index) => `docs/${`${index}/`.repeat(19)}${index}`,
    ),
    files(
      400,
      () => page,
      (index) => `docs/${`${index}/`.repeat(9)}${index}`,
    ),
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
  bundle('too_much_content', 'deltas of a small page that make 9 MB each', (base) => {
    const delta = Buffer.concat([variableLength(10), variableLength(9_000_000), Buffer.from([0x90, 0x01])])
    const entry = packEntry(7, delta, { base: gitObject('blob', '# Project\n').id })
    return withObjects(base, base.tree, [], Array<Buffer>(8).fill(entry))
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
  bundle('too_many_files', 'six directories of 200,000 files, one in the other', (base) =>
    wideLevels(base, 6, 200_000),
  ),
  bundle('path_too_deep', 'directories 10,000 deep', (base) => {
    const { docs, objects } = bomb(10_000, 1, gitObject('blob', page))
    return withDocs(base, docs, objects)
  }),
  bundle('bundle_too_large', 'more bytes than are taken', (base) =>
    Buffer.concat([bundleOfChange(base, plain), Buffer.alloc(24 * 1024 * 1024)]),
  ),
]
