/** Which files differ between two trees. Ours rather than `git diff-tree`: that lists 10^10 files before it says a word. */
import type { ObjectReader } from './object-reader.ts'

export type FileSide = { mode: string; id: string }
export type FileChange = { path: Buffer; before: FileSide | undefined; after: FileSide | undefined }

/** A directory in which something is new: who its neighbours are decides whether the new name is safe. */
export type GrownDirectory = { path: Buffer; names: readonly Buffer[]; added: readonly Buffer[] }

export type ComparisonLimits = { changes: number; depth: number; trees: number; treeBytes: number }

export type ComparisonRefusal = 'too_many_files' | 'path_too_deep' | 'too_many_directories' | 'empty_directory' | 'broken_tree'

export type Comparison =
  | { kind: 'compared'; changes: FileChange[]; grown: GrownDirectory[] }
  | { kind: 'refused'; code: ComparisonRefusal; path: Buffer }

type Entry = FileSide & { name: Buffer }
type Tree = Map<string, Entry>

class Refused extends Error {
  readonly code: ComparisonRefusal
  readonly path: Buffer
  constructor(code: ComparisonRefusal, path: Buffer) {
    super(code)
    this.code = code
    this.path = path
  }
}

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

  async function readTree(id: string | undefined, path: Buffer): Promise<Tree> {
    if (id === undefined) return new Map()
    const info = await objects.info(id)
    if (info?.type !== 'tree') throw new Refused('broken_tree', path)
    treesLeft -= 1
    treeBytesLeft -= info.sizeBytes
    if (treesLeft < 0 || treeBytesLeft < 0) throw new Refused('too_many_directories', path)
    return parseTree(await objects.contents(id)) ?? fail('broken_tree', path)
  }

  async function walk(path: Buffer, depth: number, beforeId: string | undefined, afterId: string | undefined) {
    if (depth > limits.depth) throw new Refused('path_too_deep', path)
    const old = await readTree(beforeId, path)
    const now = await readTree(afterId, path)
    if (afterId !== undefined && now.size === 0 && depth > 0) throw new Refused('empty_directory', path)

    const added = [...now.keys()].filter((key) => !old.has(key)).map((key) => nameOf(now, key))
    if (added.length > 0) grown.push({ path, names: [...now.values()].map(({ name }) => name), added })

    for (const key of new Set([...old.keys(), ...now.keys()])) {
      await compareEntries(old.get(key), now.get(key), path, depth)
    }
  }

  async function compareEntries(old: Entry | undefined, now: Entry | undefined, directory: Buffer, depth: number) {
    if (old?.mode === now?.mode && old?.id === now?.id) return
    const path = join(directory, (now ?? old)?.name ?? Buffer.alloc(0))
    const [oldTree, oldFile] = isTree(old) ? [old, undefined] : [undefined, old]
    const [nowTree, nowFile] = isTree(now) ? [now, undefined] : [undefined, now]
    if (oldFile || nowFile) changes.push({ path, before: oldFile && sideOf(oldFile), after: nowFile && sideOf(nowFile) })
    if (changes.length > limits.changes) throw new Refused('too_many_files', path)
    if (oldTree || nowTree) await walk(path, depth + 1, oldTree?.id, nowTree?.id)
  }

  try {
    await walk(Buffer.alloc(0), 0, before, after)
    return { kind: 'compared', changes, grown }
  } catch (error) {
    if (error instanceof Refused) return { kind: 'refused', code: error.code, path: error.path }
    throw error
  }
}

function fail(code: ComparisonRefusal, path: Buffer): never {
  throw new Refused(code, path)
}

const isTree = (entry: Entry | undefined): entry is Entry => entry?.mode === '40000'
const sideOf = ({ mode, id }: Entry): FileSide => ({ mode, id })
const nameOf = (tree: Tree, key: string) => tree.get(key)?.name ?? Buffer.alloc(0)
const join = (directory: Buffer, name: Buffer) =>
  directory.length === 0 ? name : Buffer.concat([directory, Buffer.from('/'), name])

/** `mode SP name NUL id`, over and over. Undefined when it is not that, or names something twice. */
function parseTree(bytes: Buffer): Tree | undefined {
  const tree: Tree = new Map()
  for (let position = 0; position < bytes.length; ) {
    const space = bytes.indexOf(0x20, position)
    const end = bytes.indexOf(0, space)
    if (space < 0 || end < 0 || end + 21 > bytes.length) return undefined
    const name = bytes.subarray(space + 1, end)
    const key = name.toString('latin1')
    if (name.length === 0 || tree.has(key)) return undefined
    const mode = bytes.toString('latin1', position, space)
    tree.set(key, { name, mode, id: bytes.toString('hex', end + 1, end + 21) })
    position = end + 21
  }
  return tree
}
