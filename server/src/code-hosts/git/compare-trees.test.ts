import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CraftedCommit, type CraftedFiles, craftCommit } from '../testing/craft-commit.ts'
import { type GitObject, treeObject } from '../testing/craft-objects.ts'
import { compareTrees } from './compare-trees.ts'

const limits = { changes: 500, depth: 30, trees: 1000, treeBytes: 1_000_000 }

/** Of objects in memory. */
function readerOf(...maps: ReadonlyMap<string, GitObject>[]) {
  const find = (id: string) => maps.map((map) => map.get(id)).find((object) => object !== undefined)
  return {
    async info(id: string) {
      const object = find(id)
      return object && { type: object.type, sizeBytes: object.contents.length }
    },
    async contents(id: string) {
      return find(id)?.contents ?? Buffer.alloc(0)
    },
  }
}

const compare = (before: CraftedCommit, after: CraftedCommit, change: Partial<typeof limits> = {}) =>
  compareTrees(readerOf(before.objects, after.objects), before.tree, after.tree, { ...limits, ...change })

/** No name is a file and a directory at once, because no file's name is a directory's. */
const files: fc.Arbitrary<CraftedFiles> = fc.dictionary(
  fc
    .tuple(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }), fc.constantFrom('x.md', 'y.md', 'Z', '\u00ff'))
    .map(([folders, name]) => [...folders, name].join('/')),
  fc.oneof(
    fc.constantFrom('', 'one', 'two'),
    fc.constantFrom('100755', '120000').map((mode) => ({ mode, contents: 'one' })),
  ),
)

describe('compareTrees', () => {
  it('finds what differs between any two sets of files', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, async (old, now) => {
        const comparison = await compare(craftCommit(old, []), craftCommit(now, []))
        if (comparison.kind !== 'compared') throw new Error(comparison.code)
        const found = comparison.changes.map(({ path }) => path.toString('latin1'))
        const same = (path: string) => JSON.stringify(old[path]) === JSON.stringify(now[path])
        const expected = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((path) => !same(path))
        expect(found.toSorted()).toEqual(expected.toSorted())
        for (const { path, before, after } of comparison.changes) {
          const name = path.toString('latin1')
          expect([before !== undefined, after !== undefined]).toEqual([name in old, name in now])
        }
      }),
    )
  })

  it('names the neighbours of what is new', async () => {
    const before = craftCommit({ 'docs/a.md': 'a', 'docs/b.md': 'b', 'other/c.md': 'c' }, [])
    const after = craftCommit({ ...before.files, 'docs/A.md': 'A', 'other/c.md': 'changed' }, [])
    const comparison = await compare(before, after)
    if (comparison.kind !== 'compared') throw new Error(comparison.code)
    const read = comparison.grown.map(({ path, names, added }) => [path, names, added].map(String))
    expect(read).toEqual([['docs', 'A.md,a.md,b.md', 'A.md']])
  })

  it('sees a directory in place of a file, and a file in place of a directory', async () => {
    const one = craftCommit({ a: 'file' }, [])
    const other = craftCommit({ 'a/b': 'file' }, [])
    for (const [before, after] of [
      [one, other],
      [other, one],
    ] as const) {
      const comparison = await compare(before, after)
      if (comparison.kind !== 'compared') throw new Error(comparison.code)
      expect(comparison.changes.map(({ path }) => String(path)).toSorted()).toEqual(['a', 'a/b'])
    }
  })

  it.each([
    ['too_many_files', { changes: 2 }],
    ['path_too_deep', { depth: 1 }],
    ['too_many_directories', { trees: 3 }],
    ['too_many_directories', { treeBytes: 50 }],
  ])('stops: %s', async (code, change) => {
    const before = craftCommit({ 'a/b/c': '1' }, [])
    const after = craftCommit({ 'a/b/c': '2', 'a/b/d': '2', 'a/b/e': '2' }, [])
    await expect(compare(before, after, change)).resolves.toMatchObject({ kind: 'refused', code })
  })

  it('refuses what is not a tree', async () => {
    const before = craftCommit({ a: '1' }, [])
    const half = { ...treeObject([]), contents: Buffer.from('100644 name\0tooshort') }
    const twice = treeObject([
      { mode: '100644', name: 'a', id: '0'.repeat(40) },
      { mode: '100644', name: 'a', id: '1'.repeat(40) },
    ])
    for (const tree of [half, twice]) {
      const reader = readerOf(new Map([[tree.id, tree]]), before.objects)
      await expect(compareTrees(reader, before.tree, tree.id, limits)).resolves.toMatchObject({ code: 'broken_tree' })
    }
    await expect(compareTrees(readerOf(before.objects), before.tree, before.id, limits)).resolves.toMatchObject({
      code: 'broken_tree',
    })
    await expect(compareTrees(readerOf(before.objects), before.tree, 'f'.repeat(40), limits)).resolves.toMatchObject({
      code: 'missing_object',
    })
  })
})
