/** Bundles that violate the protocol, or that git itself would never create. */
import { type CraftedCommit, craftCommit, createChangeBundle, createCommitBundle } from './craft-commit.ts'
import {
  commitObject,
  createBundle,
  createPack,
  createPackFromEntries,
  gitObject,
  packEntry,
  tagEntry,
  treeObject,
} from './craft-objects.ts'
import {
  blobEntry,
  bundleWithDocs,
  bundleWithEntry,
  bundleWithObjects,
  type HostileResult,
  harmlessChange,
  hostileBundle,
  missingObjectId,
  pageText,
} from './hostile-result.ts'

const resultOn = (base: CraftedCommit) => craftCommit({ ...base.files, 'docs/page.md': pageText }, [base.id])

/** A valid pack with another bundle header. */
function withHeader(base: CraftedCommit, lines: (head: string) => readonly string[], end = '\n\n'): Buffer {
  const result = resultOn(base)
  return Buffer.concat([Buffer.from(`${lines(result.id).join('\n')}${end}`), createPack(result.objects.values())])
}

const version = '# v2 git bundle'
const readme = gitObject('blob', '# Project\n')

/** A pack entry with this delta on an object. */
const deltaOn = (id: string, ...bytes: number[]) => packEntry(7, Buffer.from(bytes), { base: id })

export const hostileBundles: readonly HostileResult[] = [
  hostileBundle('wrong_base', 'another base', (base) =>
    withHeader(base, (head) => [version, `-${missingObjectId}`, `${head} HEAD`]),
  ),
  hostileBundle('wrong_base', 'no base', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': pageText }, [])
    return createBundle({ bases: [], refs: { HEAD: result.id }, pack: createPack(result.objects.values()) })
  }),
  hostileBundle('wrong_base', 'two bases', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `-${missingObjectId}`, `${head} HEAD`]),
  ),
  hostileBundle('wrong_base', 'the base in capitals', (base) =>
    withHeader(base, (head) => [version, `-${base.id.toUpperCase()}`, `${head} HEAD`]),
  ),
  hostileBundle('wrong_base', 'a commit that does not descend from its base', (base) =>
    createCommitBundle(base, craftCommit({ ...base.files, 'docs/page.md': pageText }, [])),
  ),
  hostileBundle('wrong_base', 'a commit with a parent that does not exist', (base) =>
    createCommitBundle(base, craftCommit({ ...base.files, 'docs/page.md': pageText }, [missingObjectId])),
  ),
  hostileBundle('unexpected_refs', 'a second branch', (base) => {
    const result = resultOn(base)
    const refs = { HEAD: result.id, 'refs/heads/main': result.id }
    return createBundle({ bases: [base.id], refs, pack: createPack(result.objects.values()) })
  }),
  hostileBundle('unexpected_refs', 'a branch instead of HEAD', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} refs/heads/main`]),
  ),
  ...['HEAD HEAD', 'HEAD\0refs/heads/main', ' HEAD', 'HEAD~1', 'refs/replace/HEAD', 'HEAD\r'].map((ref) =>
    hostileBundle('unexpected_refs', `a ref named ${JSON.stringify(ref)}`, (base) =>
      withHeader(base, (head) => [version, `-${base.id}`, `${head} ${ref}`]),
    ),
  ),
  hostileBundle('unexpected_refs', 'HEAD twice', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} HEAD`, `${head} HEAD`]),
  ),
  hostileBundle('unexpected_refs', 'no ref', (base) => withHeader(base, () => [version, `-${base.id}`])),
  hostileBundle('unexpected_refs', 'a ref with a SHA-256 id', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head}${'0'.repeat(24)} HEAD`]),
  ),
  hostileBundle('not_a_bundle', 'a ref with an invalid id', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${'../../x'.padEnd(40, 'y')} HEAD`]),
  ),
  hostileBundle('not_a_bundle', 'no bundle', () => Buffer.from('hello')),
  hostileBundle('not_a_bundle', 'an empty body', () => Buffer.alloc(0)),
  hostileBundle('not_a_bundle', 'a bundle of another version', (base) =>
    Buffer.concat([
      Buffer.from('# v3 git bundle\n@filter=blob:none\n'),
      createChangeBundle(base, harmlessChange).subarray(16),
    ]),
  ),
  hostileBundle('not_a_bundle', 'a header that is too long', (base) =>
    withHeader(base, (head) => [version, `-${base.id} ${'x'.repeat(5_000)}`, `${head} HEAD`]),
  ),
  hostileBundle('not_a_bundle', 'Windows line endings', (base) =>
    withHeader(base, (head) => [`${version}\r`, `-${base.id}\r`, `${head} HEAD\r`]),
  ),

  hostileBundle('invalid_pack', 'no pack', (base) =>
    Buffer.from(`${version}\n-${base.id}\n${resultOn(base).id} HEAD\n\n`),
  ),
  hostileBundle('invalid_pack', 'half a bundle', (base) => createChangeBundle(base, harmlessChange).subarray(0, -40)),
  hostileBundle('invalid_pack', 'data after the last object', (base) => {
    const valid = createChangeBundle(base, harmlessChange)
    return Buffer.concat([valid.subarray(0, -20), Buffer.from('more'), valid.subarray(-20)])
  }),
  hostileBundle('invalid_pack', 'a second pack after the first', (base) =>
    Buffer.concat([createChangeBundle(base, harmlessChange), createPack(resultOn(base).objects.values())]),
  ),
  hostileBundle('invalid_pack', 'a pack of another version', (base) => {
    const valid = createChangeBundle(base, harmlessChange)
    valid.writeUInt32BE(3, valid.indexOf('PACK') + 4)
    return valid
  }),
  ...[0, 5].map((type) =>
    hostileBundle('invalid_pack', `an object of type ${type}`, (base) =>
      bundleWithObjects(base, base.tree, [], [packEntry(type, Buffer.from(pageText))]),
    ),
  ),
  hostileBundle('invalid_pack', 'fewer bytes than an object declares', (base) =>
    bundleWithObjects(base, base.tree, [], [packEntry(3, Buffer.from(pageText), { claimedBytes: 1_000 })]),
  ),
  hostileBundle('invalid_objects', 'a wrong checksum', (base) =>
    Buffer.concat([createChangeBundle(base, harmlessChange).subarray(0, -20), Buffer.alloc(20)]),
  ),

  hostileBundle('invalid_objects', 'a delta on a file that does not exist', (base) =>
    bundleWithObjects(base, base.tree, [], [deltaOn(missingObjectId, 10, 1, 0x90, 1)]),
  ),
  hostileBundle('invalid_objects', 'a delta on a file of another size', (base) =>
    bundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 99, 1, 0x90, 1)]),
  ),
  hostileBundle('invalid_objects', 'a delta that copies from beyond the end', (base) =>
    bundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 10, 4, 0x91, 200, 4)]),
  ),
  hostileBundle('invalid_objects', 'a delta that expands to less than it declares', (base) =>
    bundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 10, 100, 0x90, 1)]),
  ),
  hostileBundle('invalid_objects', 'a delta on an offset before the pack', (base) =>
    bundleWithObjects(
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
  hostileBundle('invalid_objects', 'two deltas on each other', (base) =>
    bundleWithObjects(
      base,
      base.tree,
      [],
      [deltaOn(missingObjectId, 1, 1, 1, 0x41), deltaOn(gitObject('blob', 'A').id, 1, 1, 1, 0x42)],
    ),
  ),

  hostileBundle('invalid_objects', 'a directory out of order', (base) => {
    const docs = treeObject([blobEntry('b.md', pageText), blobEntry('a.md', pageText)])
    return bundleWithDocs(base, docs, [gitObject('blob', pageText)])
  }),
  hostileBundle('invalid_objects', 'a name twice in a directory', (base) => {
    const docs = treeObject([blobEntry('a.md', pageText), blobEntry('a.md', '# Other\n')])
    return bundleWithDocs(base, docs, [gitObject('blob', pageText), gitObject('blob', '# Other\n')])
  }),
  hostileBundle('invalid_objects', 'a file and a directory with the same name', (base) => {
    const folder = treeObject([blobEntry('page.md', pageText)])
    const docs = treeObject([blobEntry('a.md', pageText), { mode: '40000', name: 'a.md', id: folder.id }])
    return bundleWithDocs(base, docs, [folder, gitObject('blob', pageText)])
  }),
  hostileBundle('invalid_objects', 'an empty name', (base) =>
    bundleWithDocs(base, treeObject([blobEntry('', pageText)]), [gitObject('blob', pageText)]),
  ),
  hostileBundle('invalid_objects', 'a truncated directory', (base) =>
    bundleWithDocs(base, gitObject('tree', treeObject([blobEntry('a.md', pageText)]).contents.subarray(0, -5))),
  ),
  hostileBundle('invalid_tree', 'a directory that is a page', (base) => {
    const blob = gitObject('blob', pageText)
    return bundleWithEntry(base, { mode: '40000', name: 'folder', id: blob.id }, [blob])
  }),
  hostileBundle('missing_object', 'a page that is a directory', (base) => {
    const tree = treeObject([blobEntry('page.md', pageText)])
    return bundleWithEntry(base, { mode: '100644', name: 'folder.md', id: tree.id }, [
      tree,
      gitObject('blob', pageText),
    ])
  }),
  ...['0100644', '100644x', ''].map((mode) =>
    hostileBundle('invalid_objects', `mode ${JSON.stringify(mode)}`, (base) =>
      bundleWithEntry(base, { ...blobEntry('page.md', pageText), mode }, [gitObject('blob', pageText)]),
    ),
  ),
  hostileBundle('invalid_objects', 'a directory of mode 040000', (base) => {
    const tree = treeObject([blobEntry('page.md', pageText)])
    return bundleWithEntry(base, { mode: '040000', name: 'folder', id: tree.id }, [tree, gitObject('blob', pageText)])
  }),
  hostileBundle('missing_object', 'a page that is the commit itself', (base) =>
    bundleWithEntry(base, { mode: '100644', name: 'page.md', id: base.id }),
  ),
  hostileBundle('missing_object', 'a page with missing contents', (base) =>
    createChangeBundle(base, { 'docs/page.md': { mode: '100644', id: missingObjectId } }),
  ),
  hostileBundle('missing_object', 'a missing directory', (base) =>
    createChangeBundle(base, { 'docs/folder': { mode: '40000', id: missingObjectId } }),
  ),

  hostileBundle('invalid_objects', 'a commit without an author', (base) => {
    const commit = gitObject('commit', `tree ${base.tree}\nparent ${base.id}\n\nx\n`)
    return createBundle({ bases: [base.id], refs: { HEAD: commit.id }, pack: createPack([commit]) })
  }),
  hostileBundle('invalid_objects', 'a commit with two trees', (base) => {
    const { contents } = commitObject(base.tree, [base.id])
    const commit = gitObject('commit', `tree ${base.tree}\n${contents}`)
    return createBundle({ bases: [base.id], refs: { HEAD: commit.id }, pack: createPack([commit]) })
  }),
  hostileBundle('invalid_objects', 'a commit whose tree is a page', (base) => {
    const blob = gitObject('blob', pageText)
    return bundleWithObjects(base, blob.id, [blob])
  }),
  hostileBundle('invalid_objects', 'HEAD is a file', (base) => {
    const blob = gitObject('blob', pageText)
    return createBundle({ bases: [base.id], refs: { HEAD: blob.id }, pack: createPack([blob]) })
  }),
  hostileBundle('invalid_objects', 'HEAD is a tag', (base) => {
    const tag = tagEntry(base.id)
    return createBundle({ bases: [base.id], refs: { HEAD: tag.id }, pack: createPackFromEntries([tag.entry]) })
  }),
  hostileBundle('invalid_objects', 'HEAD does not exist', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${missingObjectId} HEAD`]),
  ),
]
