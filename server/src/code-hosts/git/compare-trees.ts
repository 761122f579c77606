/** Which files differ between two trees. Ours rather than `git diff-tree`: that lists 10^10 files before it says a word. */
import type { ObjectReader } from './object-reader.ts'

export type FileSide = { mode: string; id: string }
export type FileChange = { path: Buffer; before: FileSide | undefined; after: FileSide | undefined }

/** A directory in which something is new: who its neighbours are decides whether the new name is safe. */
export type GrownDirectory = { path: Buffer; names: readonly Buffer[]; added: readonly Buffer[] }

export type ComparisonLimits = { changes: number; depth: number; trees: number; treeBytes: number }

export type ComparisonRefusal =
  | 'too_many_files'
  | 'path_too_deep'
  | 'too_many_directories'
  | 'empty_directory'
  | 'broken_tree'
  | 'missing_object'

export type Comparison =
  | { kind: 'compared'; changes: FileChange[]; grown: GrownDirectory[] }
  | { kind: 'refused'; code: ComparisonRefusal; path: Buffer }

/** By name. Names are bytes, one to a character, because they need not be text in any encoding. */
type Tree = Map<string, FileSide>

export async function compareTrees(
  objects: Pick<ObjectReader, 'info' | 'contents'>,
  before: string,
  after: string,
  limits: ComparisonLimits,
): Promise<Comparison> {
  const changes: FileChange[] = []
  const grown: GrownDirectory[] = []
  let treesLeft = limits.trees
  let treeBytesLeft = limits.treeBytes

  async function readTree(id: string | undefined, path: string, maxEntries: number): Promise<Tree> {
    if (id === undefined) return new Map()
    const info = await objects.info(id)
    if (!info) throw new Refused('missing_object', path)
    if (info.type !== 'tree') throw new Refused('broken_tree', path)
    treesLeft -= 1
    treeBytesLeft -= info.sizeBytes
    if (treesLeft < 0 || treeBytesLeft < 0) throw new Refused('too_many_directories', path)
    const tree = parseTree(await objects.contents(id), maxEntries)
    if (typeof tree === 'string') throw new Refused(tree, path)
    return tree
  }

  async function walk(path: string, depth: number, beforeId: string | undefined, afterId: string | undefined) {
    if (depth > limits.depth) throw new Refused('path_too_deep', path)
    const old = await readTree(beforeId, path, Number.POSITIVE_INFINITY)
    // More than these are more changes than are allowed: 300,000 names in 10 MB are not all read to say so.
    const now = await readTree(afterId, path, old.size + limits.changes)
    // Git makes none; one would be a change of the tree that no list of files shows.
    if (afterId !== undefined && now.size === 0 && depth > 0) throw new Refused('empty_directory', path)

    const added = [...now.keys()].filter((name) => !old.has(name))
    if (added.length > 0) grown.push({ path: bytes(path), names: [...now.keys()].map(bytes), added: added.map(bytes) })

    for (const name of new Set([...old.keys(), ...now.keys()])) {
      await compare(path === '' ? name : `${path}/${name}`, depth, old.get(name), now.get(name))
    }
  }

  async function compare(path: string, depth: number, old: FileSide | undefined, now: FileSide | undefined) {
    if (old?.mode === now?.mode && old?.id === now?.id) return
    const oldFile = isTree(old) ? undefined : old
    const nowFile = isTree(now) ? undefined : now
    if (oldFile || nowFile) changes.push({ path: bytes(path), before: oldFile, after: nowFile })
    if (changes.length > limits.changes) throw new Refused('too_many_files', path)
    if (isTree(old) || isTree(now)) {
      await walk(path, depth + 1, isTree(old) ? old.id : undefined, isTree(now) ? now.id : undefined)
    }
  }

  try {
    await walk('', 0, before, after)
    return { kind: 'compared', changes, grown }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', code: error.code, path: bytes(error.path) }
    throw error
  }
}

class Refused extends Error {
  readonly code: ComparisonRefusal
  readonly path: string
  constructor(code: ComparisonRefusal, path: string) {
    super(code)
    this.code = code
    this.path = path
  }
}

const isTree = (side: FileSide | undefined): side is FileSide => side?.mode === '40000'
const bytes = (text: string) => Buffer.from(text, 'latin1')

/** `mode SP name NUL id`, over and over; broken when it is not that, or names something twice. */
function parseTree(contents: Buffer, maxEntries: number): Tree | 'broken_tree' | 'too_many_files' {
  const tree: Tree = new Map()
  for (let position = 0; position < contents.length; ) {
    const space = contents.indexOf(0x20, position)
    const end = contents.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > contents.length) return 'broken_tree'
    const name = contents.toString('latin1', space + 1, end)
    if (name === '' || tree.has(name)) return 'broken_tree'
    if (tree.size === maxEntries) return 'too_many_files'
    const mode = contents.toString('latin1', position, space)
    tree.set(name, { mode, id: contents.toString('hex', end + 1, end + 21) })
    position = end + 21
  }
  return tree
}
