/** Bundles that are not what was agreed on, or that git itself would never make. */
import { bundleOfChange, bundleOfCommit, type CraftedCommit, craftCommit } from './craft-commit.ts'
import {
  bundleOf,
  commitObject,
  gitObject,
  packEntry,
  packOf,
  packOfEntries,
  tagEntry,
  treeObject,
} from './craft-objects.ts'
import {
  anyId,
  blobEntry,
  bundle,
  type HostileResult,
  page,
  plain,
  withDocs,
  withEntry,
  withObjects,
} from './hostile-result.ts'

const resultOn = (base: CraftedCommit) => craftCommit({ ...base.files, 'docs/page.md': page }, [base.id])

/** An honest pack behind another header. */
function withHeader(base: CraftedCommit, lines: (head: string) => readonly string[], end = '\n\n'): Buffer {
  const result = resultOn(base)
  return Buffer.concat([Buffer.from(`${lines(result.id).join('\n')}${end}`), packOf(result.objects.values())])
}

const version = '# v2 git bundle'
const projectPage = gitObject('blob', '# Project\n')

/** An entry of a pack that is a delta of one `byte` on `README.md`. */
const deltaOn = (id: string, ...bytes: number[]) => packEntry(7, Buffer.from(bytes), { base: id })

export const hostileBundles: readonly HostileResult[] = [
  bundle('wrong_base', 'another base', (base) => withHeader(base, (head) => [version, `-${anyId}`, `${head} HEAD`])),
  bundle('wrong_base', 'no base', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': page }, [])
    return bundleOf({ bases: [], refs: { HEAD: result.id }, pack: packOf(result.objects.values()) })
  }),
  bundle('wrong_base', 'two bases', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `-${anyId}`, `${head} HEAD`]),
  ),
  bundle('wrong_base', 'the base in capitals', (base) =>
    withHeader(base, (head) => [version, `-${base.id.toUpperCase()}`, `${head} HEAD`]),
  ),
  bundle('wrong_base', 'a commit that does not descend from its base', (base) =>
    bundleOfCommit(base, craftCommit({ ...base.files, 'docs/page.md': page }, [])),
  ),
  bundle('wrong_base', 'a commit on a parent that is not there', (base) =>
    bundleOfCommit(base, craftCommit({ ...base.files, 'docs/page.md': page }, [anyId])),
  ),
  bundle('extra_refs', 'a second branch', (base) => {
    const result = resultOn(base)
    const refs = { HEAD: result.id, 'refs/heads/main': result.id }
    return bundleOf({ bases: [base.id], refs, pack: packOf(result.objects.values()) })
  }),
  bundle('extra_refs', 'a branch instead of HEAD', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} refs/heads/main`]),
  ),
  ...['HEAD HEAD', 'HEAD\0refs/heads/main', ' HEAD', 'HEAD~1', 'refs/replace/HEAD', 'HEAD\r'].map((ref) =>
    bundle('extra_refs', `a ref named ${JSON.stringify(ref)}`, (base) =>
      withHeader(base, (head) => [version, `-${base.id}`, `${head} ${ref}`]),
    ),
  ),
  bundle('extra_refs', 'HEAD twice', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} HEAD`, `${head} HEAD`]),
  ),
  bundle('extra_refs', 'no ref', (base) => withHeader(base, () => [version, `-${base.id}`])),
  bundle('extra_refs', 'a ref with an id of SHA-256', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head}${'0'.repeat(24)} HEAD`]),
  ),
  bundle('not_a_bundle', 'a ref whose id is none', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${'../../x'.padEnd(40, 'y')} HEAD`]),
  ),
  bundle('not_a_bundle', 'no bundle at all', () => Buffer.from('hello')),
  bundle('not_a_bundle', 'nothing', () => Buffer.alloc(0)),
  bundle('not_a_bundle', 'a bundle of another version', (base) =>
    Buffer.concat([Buffer.from('# v3 git bundle\n@filter=blob:none\n'), bundleOfChange(base, plain).subarray(16)]),
  ),
  bundle('not_a_bundle', 'a header without an end', (base) =>
    withHeader(base, (head) => [version, `-${base.id} ${'x'.repeat(5_000)}`, `${head} HEAD`]),
  ),
  bundle('not_a_bundle', 'lines that end as on Windows', (base) =>
    withHeader(base, (head) => [`${version}\r`, `-${base.id}\r`, `${head} HEAD\r`]),
  ),

  bundle('broken_pack', 'no pack', (base) => Buffer.from(`${version}\n-${base.id}\n${resultOn(base).id} HEAD\n\n`)),
  bundle('broken_pack', 'half a bundle', (base) => bundleOfChange(base, plain).subarray(0, -40)),
  bundle('broken_pack', 'something behind the last object', (base) => {
    const honest = bundleOfChange(base, plain)
    return Buffer.concat([honest.subarray(0, -20), Buffer.from('more'), honest.subarray(-20)])
  }),
  bundle('broken_pack', 'a second pack behind the first', (base) =>
    Buffer.concat([bundleOfChange(base, plain), packOf(resultOn(base).objects.values())]),
  ),
  bundle('broken_pack', 'a pack of another version', (base) => {
    const honest = bundleOfChange(base, plain)
    honest.writeUInt32BE(3, honest.indexOf('PACK') + 4)
    return honest
  }),
  ...[0, 5].map((type) =>
    bundle('broken_pack', `an object of type ${type}`, (base) =>
      withObjects(base, base.tree, [], [packEntry(type, Buffer.from(page))]),
    ),
  ),
  bundle('broken_pack', 'fewer bytes than an object says', (base) =>
    withObjects(base, base.tree, [], [packEntry(3, Buffer.from(page), { claimedBytes: 1_000 })]),
  ),
  bundle('broken_objects', 'a wrong checksum', (base) =>
    Buffer.concat([bundleOfChange(base, plain).subarray(0, -20), Buffer.alloc(20)]),
  ),

  bundle('broken_objects', 'a delta on a file that nobody has', (base) =>
    withObjects(base, base.tree, [], [deltaOn(anyId, 10, 1, 0x90, 1)]),
  ),
  bundle('broken_objects', 'a delta on a file of another size', (base) =>
    withObjects(base, base.tree, [], [deltaOn(projectPage.id, 99, 1, 0x90, 1)]),
  ),
  bundle('broken_objects', 'a delta that copies from behind the end', (base) =>
    withObjects(base, base.tree, [], [deltaOn(projectPage.id, 10, 4, 0x91, 200, 4)]),
  ),
  bundle('broken_objects', 'a delta that makes less than it says', (base) =>
    withObjects(base, base.tree, [], [deltaOn(projectPage.id, 10, 100, 0x90, 1)]),
  ),
  bundle('broken_objects', 'a delta on something before the pack', (base) =>
    withObjects(
      base,
      base.tree,
      [],
      [
        Buffer.concat([
          Buffer.from([(6 << 4) | 4, 0xff, 0x7f]),
          packEntry(0, Buffer.from([10, 1, 0x90, 1])).subarray(1),
        ]),
      ],
    ),
  ),
  bundle('broken_objects', 'two deltas on each other', (base) =>
    withObjects(
      base,
      base.tree,
      [],
      [deltaOn(anyId, 1, 1, 1, 0x41), deltaOn(gitObject('blob', 'A').id, 1, 1, 1, 0x42)],
    ),
  ),

  bundle('broken_objects', 'a directory out of order', (base) => {
    const docs = treeObject([blobEntry('b.md', page), blobEntry('a.md', page)])
    return withDocs(base, docs, [gitObject('blob', page)])
  }),
  bundle('broken_objects', 'a name twice in a directory', (base) => {
    const docs = treeObject([blobEntry('a.md', page), blobEntry('a.md', '# Other\n')])
    return withDocs(base, docs, [gitObject('blob', page), gitObject('blob', '# Other\n')])
  }),
  bundle('broken_objects', 'a file and a directory of one name', (base) => {
    const folder = treeObject([blobEntry('page.md', page)])
    const docs = treeObject([blobEntry('a.md', page), { mode: '40000', name: 'a.md', id: folder.id }])
    return withDocs(base, docs, [folder, gitObject('blob', page)])
  }),
  bundle('broken_objects', 'a name of no letters', (base) =>
    withDocs(base, treeObject([blobEntry('', page)]), [gitObject('blob', page)]),
  ),
  bundle('broken_objects', 'a directory that is cut off', (base) =>
    withDocs(base, gitObject('tree', treeObject([blobEntry('a.md', page)]).contents.subarray(0, -5))),
  ),
  bundle('broken_tree', 'a directory that is a page', (base) => {
    const blob = gitObject('blob', page)
    return withEntry(base, { mode: '40000', name: 'folder', id: blob.id }, [blob])
  }),
  bundle('missing_object', 'a page that is a directory', (base) => {
    const tree = treeObject([blobEntry('page.md', page)])
    return withEntry(base, { mode: '100644', name: 'folder.md', id: tree.id }, [tree, gitObject('blob', page)])
  }),
  ...['0100644', '100644x', ''].map((mode) =>
    bundle('broken_objects', `mode ${JSON.stringify(mode)}`, (base) =>
      withEntry(base, { ...blobEntry('page.md', page), mode }, [gitObject('blob', page)]),
    ),
  ),
  bundle('broken_objects', 'a directory of mode 040000', (base) => {
    const tree = treeObject([blobEntry('page.md', page)])
    return withEntry(base, { mode: '040000', name: 'folder', id: tree.id }, [tree, gitObject('blob', page)])
  }),
  bundle('missing_object', 'a page that is the commit itself', (base) =>
    withEntry(base, { mode: '100644', name: 'page.md', id: base.id }),
  ),
  bundle('missing_object', 'a page whose contents are not there', (base) =>
    bundleOfChange(base, { 'docs/page.md': { mode: '100644', id: anyId } }),
  ),
  bundle('missing_object', 'a directory that is not there', (base) =>
    bundleOfChange(base, { 'docs/folder': { mode: '40000', id: anyId } }),
  ),

  bundle('broken_objects', 'a commit without an author', (base) => {
    const commit = gitObject('commit', `tree ${base.tree}\nparent ${base.id}\n\nx\n`)
    return bundleOf({ bases: [base.id], refs: { HEAD: commit.id }, pack: packOf([commit]) })
  }),
  bundle('broken_objects', 'a commit of two trees', (base) => {
    const { contents } = commitObject(base.tree, [base.id])
    const commit = gitObject('commit', `tree ${base.tree}\n${contents}`)
    return bundleOf({ bases: [base.id], refs: { HEAD: commit.id }, pack: packOf([commit]) })
  }),
  bundle('broken_objects', 'a commit of a tree that is a page', (base) => {
    const blob = gitObject('blob', page)
    return withObjects(base, blob.id, [blob])
  }),
  bundle('broken_objects', 'HEAD is a file', (base) => {
    const blob = gitObject('blob', page)
    return bundleOf({ bases: [base.id], refs: { HEAD: blob.id }, pack: packOf([blob]) })
  }),
  bundle('broken_objects', 'HEAD is a tag', (base) => {
    const tag = tagEntry(base.id)
    return bundleOf({ bases: [base.id], refs: { HEAD: tag.id }, pack: packOfEntries([tag.entry]) })
  }),
  bundle('broken_objects', 'HEAD is not there', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${anyId} HEAD`]),
  ),
]
