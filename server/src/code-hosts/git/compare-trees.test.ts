import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CraftedCommit, type CraftedFiles, craftCommit } from '../testing/craft-commit.ts'
import { craftTreeObject, type GitObject } from '../testing/craft-objects.ts'
import { type ComparisonLimits, compareTrees } from './compare-trees.ts'

const limits: ComparisonLimits = { maxChanges: 500, maxDepth: 30, maxTrees: 1000, maxTreeBytes: 1_000_000 }

/** An object reader for objects in memory. */
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

const compare = (before: CraftedCommit, after: CraftedCommit, overrides: Partial<ComparisonLimits> = {}) =>
  compareTrees(readerOf(before.objects, after.objects), before.tree, after.tree, { ...limits, ...overrides })

/** File names and directory names are disjoint, so no path is a file and a directory at the same time. */
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
  it('finds the differences between any two sets of files', async () => {
    await fc.assert(
      fc.asyncProperty(files, files, async (oldFiles, newFiles) => {
        const comparison = await compare(craftCommit(oldFiles, []), craftCommit(newFiles, []))
        if (comparison.kind !== 'compared') throw new Error(comparison.code)
        const found = comparison.changes.map(({ path }) => path.toString('latin1'))
        const isSame = (path: string) => JSON.stringify(oldFiles[path]) === JSON.stringify(newFiles[path])
        const paths = new Set([...Object.keys(oldFiles), ...Object.keys(newFiles)])
        const expected = [...paths].filter((path) => !isSame(path))
        expect(found.toSorted()).toEqual(expected.toSorted())
        for (const { path, before, after } of comparison.changes) {
          const name = path.toString('latin1')
          expect([before !== undefined, after !== undefined]).toEqual([name in oldFiles, name in newFiles])
        }
      }),
    )
  })

  it('lists all names in a directory with new entries', async () => {
    const before = craftCommit({ 'docs/a.md': 'a', 'docs/b.md': 'b', 'other/c.md': 'c' }, [])
    const after = craftCommit({ ...before.files, 'docs/A.md': 'A', 'other/c.md': 'changed' }, [])
    const comparison = await compare(before, after)
    if (comparison.kind !== 'compared') throw new Error(comparison.code)
    const grown = comparison.additions.map(({ path, names, added }) => [path, names, added].map(String))
    expect(grown).toEqual([['docs', 'A.md,a.md,b.md', 'A.md']])
  })

  it('reports a directory that replaces a file, and a file that replaces a directory', async () => {
    const withFile = craftCommit({ a: 'file' }, [])
    const withDirectory = craftCommit({ 'a/b': 'file' }, [])
    for (const [before, after] of [
      [withFile, withDirectory],
      [withDirectory, withFile],
    ] as const) {
      const comparison = await compare(before, after)
      if (comparison.kind !== 'compared') throw new Error(comparison.code)
      expect(comparison.changes.map(({ path }) => String(path)).toSorted()).toEqual(['a', 'a/b'])
    }
  })

  it.each<[string, Partial<ComparisonLimits>]>([
    ['too_many_files', { maxChanges: 2 }],
    ['path_too_deep', { maxDepth: 1 }],
    ['too_many_directories', { maxTrees: 3 }],
    ['too_many_directories', { maxTreeBytes: 50 }],
  ])('stops at a limit: %s', async (code, limit) => {
    const before = craftCommit({ 'a/b/c': '1' }, [])
    const after = craftCommit({ 'a/b/c': '2', 'a/b/d': '2', 'a/b/e': '2' }, [])
    await expect(compare(before, after, limit)).resolves.toMatchObject({ kind: 'refused', code })
  })

  it('refuses invalid and missing trees', async () => {
    const before = craftCommit({ a: '1' }, [])
    const truncated = { ...craftTreeObject([]), contents: Buffer.from('100644 name\0tooshort') }
    const withDuplicateName = craftTreeObject([
      { mode: '100644', name: 'a', id: '0'.repeat(40) },
      { mode: '100644', name: 'a', id: '1'.repeat(40) },
    ])
    for (const tree of [truncated, withDuplicateName]) {
      const reader = readerOf(new Map([[tree.id, tree]]), before.objects)
      await expect(compareTrees(reader, before.tree, tree.id, limits)).resolves.toMatchObject({ code: 'invalid_tree' })
    }
    await expect(compareTrees(readerOf(before.objects), before.tree, before.id, limits)).resolves.toMatchObject({
      code: 'invalid_tree',
    })
    await expect(compareTrees(readerOf(before.objects), before.tree, 'f'.repeat(40), limits)).resolves.toMatchObject({
      code: 'missing_object',
    })
  })
})
