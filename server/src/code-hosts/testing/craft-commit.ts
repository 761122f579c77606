import {
  bundleOf,
  commitObject,
  type GitObject,
  gitObject,
  packOf,
  type TreeEntry,
  treeObject,
} from './craft-objects.ts'

export type CraftedFile = { mode: string; contents: Buffer | string } | { mode: string; id: string }

/** By path, in bytes, one to a character. A string is a plain file's contents. */
export type CraftedFiles = Readonly<Record<string, CraftedFile | string>>

export type CraftedCommit = { id: string; tree: string; files: CraftedFiles; objects: ReadonlyMap<string, GitObject> }

/** A path of UTF-8 text as bytes. */
export const utf8 = (path: string) => Buffer.from(path).toString('latin1')

export function craftCommit(files: CraftedFiles, parents: readonly string[]): CraftedCommit {
  const objects = new Map<string, GitObject>()
  const keep = (object: GitObject) => {
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
        const id = 'id' in file ? file.id : keep(gitObject('blob', file.contents))
        entries.push({ mode: file.mode, name, id })
      } else {
        const below = inside.map(([path, file]): [string, CraftedFile | string] => [path.slice(name.length + 1), file])
        entries.push({ mode: '40000', name, id: craftTree(below) })
      }
    }
    return keep(treeObject(entries.toSorted(asGitSorts)))
  }

  const tree = craftTree(Object.entries(files))
  const id = keep(commitObject(tree, parents))
  return { id, tree, files, objects }
}

/** As if a directory's name ended in a slash. */
export function asGitSorts(one: TreeEntry, other: TreeEntry): number {
  const [a, b] = [one, other].map(({ name, mode }) => (mode === '40000' ? `${name}/` : name)) as [string, string]
  return a < b ? -1 : a > b ? 1 : 0
}

/** What an honest runner sends. */
export function bundleOfCommit(base: CraftedCommit, result: CraftedCommit): Buffer {
  const added = [...result.objects.values()].filter(({ id }) => !base.objects.has(id))
  return bundleOf({ bases: [base.id], refs: { HEAD: result.id }, pack: packOf(added) })
}

/** Undefined removes a file. */
export function bundleOfChange(base: CraftedCommit, change: Record<string, CraftedFile | string | undefined>): Buffer {
  const files = Object.entries({ ...base.files, ...change }).filter(([, file]) => file !== undefined)
  return bundleOfCommit(base, craftCommit(Object.fromEntries(files) as CraftedFiles, [base.id]))
}
