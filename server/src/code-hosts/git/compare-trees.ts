/** Finds the files that differ between two trees. Not `git diff-tree`, which would list 10^10 files before it prints anything. */
import type { DirectoryWithAdditions } from '../../content-gate/allow-list/allow-list.ts'
import type { ObjectReader } from './object-reader.ts'

export type FileVersion = { mode: string; id: string }
export type FileChange = { path: Buffer; before: FileVersion | undefined; after: FileVersion | undefined }

export type ComparisonLimits = { maxChanges: number; maxDepth: number; maxTrees: number; maxTreeBytes: number }

export type ComparisonRefusal =
  | 'too_many_files'
  | 'path_too_deep'
  | 'too_many_directories'
  | 'empty_directory'
  | 'invalid_tree'
  | 'missing_object'

export type TreeComparison =
  | { kind: 'compared'; changes: FileChange[]; additions: DirectoryWithAdditions[] }
  | { kind: 'refused'; code: ComparisonRefusal; path: Buffer }

/** Entries by name. A name has one character per byte (Latin-1), because it need not be valid text in any encoding. */
type Tree = Map<string, FileVersion>

export async function compareTrees(
  objects: Pick<ObjectReader, 'info' | 'contents'>,
  before: string,
  after: string,
  limits: ComparisonLimits,
): Promise<TreeComparison> {
  const changes: FileChange[] = []
  const grown: DirectoryWithAdditions[] = []
  let treesLeft = limits.maxTrees
  let treeBytesLeft = limits.maxTreeBytes

  async function readTree(id: string | undefined, path: string, maxEntries: number): Promise<Tree> {
    if (id === undefined) return new Map()
    const info = await objects.info(id)
    if (!info) throw new RefusedError('missing_object', path)
    if (info.type !== 'tree') throw new RefusedError('invalid_tree', path)
    treesLeft -= 1
    treeBytesLeft -= info.sizeBytes
    if (treesLeft < 0 || treeBytesLeft < 0) throw new RefusedError('too_many_directories', path)
    const tree = parseTree(await objects.contents(id), maxEntries)
    if (typeof tree === 'string') throw new RefusedError(tree, path)
    return tree
  }

  async function walk(path: string, depth: number, beforeId: string | undefined, afterId: string | undefined) {
    if (depth > limits.maxDepth) throw new RefusedError('path_too_deep', path)
    const oldTree = await readTree(beforeId, path, Number.POSITIVE_INFINITY)
    // A tree with more entries has too many changes anyway; this avoids parsing 300,000 names in 10 MB.
    const newTree = await readTree(afterId, path, oldTree.size + limits.maxChanges)
    // Git never creates empty trees, and one would be a change that no list of files shows.
    if (afterId !== undefined && newTree.size === 0 && depth > 0) throw new RefusedError('empty_directory', path)

    const names = [...newTree.keys()]
    const added = names.filter((name) => !oldTree.has(name))
    if (added.length > 0) grown.push({ path: bytes(path), names: names.map(bytes), added: added.map(bytes) })

    for (const name of new Set([...oldTree.keys(), ...names])) {
      await compare(path === '' ? name : `${path}/${name}`, depth, oldTree.get(name), newTree.get(name))
    }
  }

  async function compare(
    path: string,
    depth: number,
    oldEntry: FileVersion | undefined,
    newEntry: FileVersion | undefined,
  ) {
    if (oldEntry?.mode === newEntry?.mode && oldEntry?.id === newEntry?.id) return
    const oldFile = isTree(oldEntry) ? undefined : oldEntry
    const newFile = isTree(newEntry) ? undefined : newEntry
    if (oldFile || newFile) changes.push({ path: bytes(path), before: oldFile, after: newFile })
    if (changes.length > limits.maxChanges) throw new RefusedError('too_many_files', path)
    if (isTree(oldEntry) || isTree(newEntry)) {
      const oldId = isTree(oldEntry) ? oldEntry.id : undefined
      await walk(path, depth + 1, oldId, isTree(newEntry) ? newEntry.id : undefined)
    }
  }

  try {
    await walk('', 0, before, after)
    return { kind: 'compared', changes, additions: grown }
  } catch (error) {
    if (error instanceof RefusedError) return { kind: 'refused', code: error.code, path: bytes(error.path) }
    throw error
  }
}

class RefusedError extends Error {
  readonly code: ComparisonRefusal
  readonly path: string
  constructor(code: ComparisonRefusal, path: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

const isTree = (side: FileVersion | undefined): side is FileVersion => side?.mode === '40000'
const bytes = (text: string) => Buffer.from(text, 'latin1')

/** Entries of the form `mode SP name NUL id`. Invalid if the format differs or a name occurs twice. */
function parseTree(contents: Buffer, maxEntries: number): Tree | 'invalid_tree' | 'too_many_files' {
  const tree: Tree = new Map()
  for (let position = 0; position < contents.length; ) {
    const space = contents.indexOf(0x20, position)
    const end = contents.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > contents.length) return 'invalid_tree'
    const name = contents.toString('latin1', space + 1, end)
    if (name === '' || tree.has(name)) return 'invalid_tree'
    if (tree.size === maxEntries) return 'too_many_files'
    const mode = contents.toString('latin1', position, space)
    tree.set(name, { mode, id: contents.toString('hex', end + 1, end + 21) })
    position = end + 21
  }
  return tree
}
