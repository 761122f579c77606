import {
  craftCommitObject,
  craftGitObject,
  craftTreeObject,
  createBundle,
  createPack,
  type GitObject,
  type TreeEntry,
} from './craft-objects.ts'

export type CraftedFile = { mode: string; contents: Buffer | string } | { mode: string; id: string }

/** Files by path. A path has one character per byte (Latin-1). A string is the contents of a regular file. */
export type CraftedFiles = Readonly<Record<string, CraftedFile | string>>

export type CraftedCommit = { id: string; tree: string; files: CraftedFiles; objects: ReadonlyMap<string, GitObject> }

/** Encodes a path as UTF-8, with one character per byte. */
export const encodeUtf8Path = (path: string) => Buffer.from(path).toString('latin1')

export function craftCommit(files: CraftedFiles, parents: readonly string[]): CraftedCommit {
  const objects = new Map<string, GitObject>()
  const add = (object: GitObject) => {
    objects.set(object.id, object)
    return object.id
  }

  function craftTree(paths: readonly [string, CraftedFile | string][]): string {
    const entries: TreeEntry[] = []
    const folders = Map.groupBy(paths, ([path]) => path.split('/', 1)[0] ?? '')
    for (const [name, inside] of folders) {
      const [first] = inside
      if (inside.length === 1 && first && first[0] === name) {
        const file = typeof first[1] === 'string' ? { mode: '100644', contents: first[1] } : first[1]
        const id = 'id' in file ? file.id : add(craftGitObject('blob', file.contents))
        entries.push({ mode: file.mode, name, id })
      } else {
        const children = inside.map(([path, file]): [string, CraftedFile | string] => [
          path.slice(name.length + 1),
          file,
        ])
        entries.push({ mode: '40000', name, id: craftTree(children) })
      }
    }
    return add(craftTreeObject(entries.toSorted(compareTreeEntries)))
  }

  const tree = craftTree(Object.entries(files))
  const id = add(craftCommitObject(tree, parents))
  return { id, tree, files, objects }
}

/** Git sorts directories as if their names ended in a slash. */
export function compareTreeEntries(first: TreeEntry, second: TreeEntry): number {
  const [a, b] = [first, second].map(({ name, mode }) => (mode === '40000' ? `${name}/` : name)) as [string, string]
  return a < b ? -1 : a > b ? 1 : 0
}

/** The bundle that an honest runner sends. */
export function createCommitBundle(base: CraftedCommit, result: CraftedCommit): Buffer {
  const added = [...result.objects.values()].filter(({ id }) => !base.objects.has(id))
  return createBundle({ bases: [base.id], refs: { HEAD: result.id }, pack: createPack(added) })
}

/** Undefined deletes a file. */
export function createChangeBundle(
  base: CraftedCommit,
  change: Record<string, CraftedFile | string | undefined>,
): Buffer {
  const files = Object.entries({ ...base.files, ...change }).filter(([, file]) => file !== undefined)
  return createCommitBundle(base, craftCommit(Object.fromEntries(files) as CraftedFiles, [base.id]))
}
