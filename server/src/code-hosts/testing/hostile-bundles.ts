/** Bundles that violate the protocol, or that git itself would never create. */
import { type CraftedCommit, craftCommit, createChangeBundle, createCommitBundle } from './craft-commit.ts'
import {
  craftCommitObject,
  craftGitObject,
  craftPackEntry,
  craftTagPackEntry,
  craftTreeObject,
  createBundle,
  createPack,
  createPackFromEntries,
} from './craft-objects.ts'
import {
  createBlobEntry,
  createBundleWithDocsEntry,
  createBundleWithDocsTree,
  createBundleWithObjects,
  createHostileBundleResult,
  type HostileResult,
  harmlessChange,
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
const readme = craftGitObject('blob', '# Project\n')

/** A pack entry with this delta on an object. */
const deltaOn = (id: string, ...bytes: number[]) => craftPackEntry(7, Buffer.from(bytes), { base: id })

export const hostileBundles: readonly HostileResult[] = [
  createHostileBundleResult('wrong_base', 'another base', (base) =>
    withHeader(base, (head) => [version, `-${missingObjectId}`, `${head} HEAD`]),
  ),
  createHostileBundleResult('wrong_base', 'no base', (base) => {
    const result = craftCommit({ ...base.files, 'docs/page.md': pageText }, [])
    return createBundle({ bases: [], refs: { HEAD: result.id }, pack: createPack(result.objects.values()) })
  }),
  createHostileBundleResult('wrong_base', 'two bases', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `-${missingObjectId}`, `${head} HEAD`]),
  ),
  createHostileBundleResult('wrong_base', 'the base in capitals', (base) =>
    withHeader(base, (head) => [version, `-${base.id.toUpperCase()}`, `${head} HEAD`]),
  ),
  createHostileBundleResult('wrong_base', 'a commit that does not descend from its base', (base) =>
    createCommitBundle(base, craftCommit({ ...base.files, 'docs/page.md': pageText }, [])),
  ),
  createHostileBundleResult('wrong_base', 'a commit with a parent that does not exist', (base) =>
    createCommitBundle(base, craftCommit({ ...base.files, 'docs/page.md': pageText }, [missingObjectId])),
  ),
  createHostileBundleResult('unexpected_refs', 'a second branch', (base) => {
    const result = resultOn(base)
    const refs = { HEAD: result.id, 'refs/heads/main': result.id }
    return createBundle({ bases: [base.id], refs, pack: createPack(result.objects.values()) })
  }),
  createHostileBundleResult('unexpected_refs', 'a branch instead of HEAD', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} refs/heads/main`]),
  ),
  ...['HEAD HEAD', 'HEAD\0refs/heads/main', ' HEAD', 'HEAD~1', 'refs/replace/HEAD', 'HEAD\r'].map((ref) =>
    createHostileBundleResult('unexpected_refs', `a ref named ${JSON.stringify(ref)}`, (base) =>
      withHeader(base, (head) => [version, `-${base.id}`, `${head} ${ref}`]),
    ),
  ),
  createHostileBundleResult('unexpected_refs', 'HEAD twice', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head} HEAD`, `${head} HEAD`]),
  ),
  createHostileBundleResult('unexpected_refs', 'no ref', (base) => withHeader(base, () => [version, `-${base.id}`])),
  createHostileBundleResult('unexpected_refs', 'a ref with a SHA-256 id', (base) =>
    withHeader(base, (head) => [version, `-${base.id}`, `${head}${'0'.repeat(24)} HEAD`]),
  ),
  createHostileBundleResult('not_a_bundle', 'a ref with an invalid id', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${'../../x'.padEnd(40, 'y')} HEAD`]),
  ),
  createHostileBundleResult('not_a_bundle', 'no bundle', () => Buffer.from('hello')),
  createHostileBundleResult('not_a_bundle', 'an empty body', () => Buffer.alloc(0)),
  createHostileBundleResult('not_a_bundle', 'a bundle of another version', (base) =>
    Buffer.concat([
      Buffer.from('# v3 git bundle\n@filter=blob:none\n'),
      createChangeBundle(base, harmlessChange).subarray(16),
    ]),
  ),
  createHostileBundleResult('not_a_bundle', 'a header that is too long', (base) =>
    withHeader(base, (head) => [version, `-${base.id} ${'x'.repeat(5_000)}`, `${head} HEAD`]),
  ),
  createHostileBundleResult('not_a_bundle', 'Windows line endings', (base) =>
    withHeader(base, (head) => [`${version}\r`, `-${base.id}\r`, `${head} HEAD\r`]),
  ),

  createHostileBundleResult('invalid_pack', 'no pack', (base) =>
    Buffer.from(`${version}\n-${base.id}\n${resultOn(base).id} HEAD\n\n`),
  ),
  createHostileBundleResult('invalid_pack', 'half a bundle', (base) =>
    createChangeBundle(base, harmlessChange).subarray(0, -40),
  ),
  createHostileBundleResult('invalid_pack', 'data after the last object', (base) => {
    const valid = createChangeBundle(base, harmlessChange)
    return Buffer.concat([valid.subarray(0, -20), Buffer.from('more'), valid.subarray(-20)])
  }),
  createHostileBundleResult('invalid_pack', 'a second pack after the first', (base) =>
    Buffer.concat([createChangeBundle(base, harmlessChange), createPack(resultOn(base).objects.values())]),
  ),
  createHostileBundleResult('invalid_pack', 'a pack of another version', (base) => {
    const valid = createChangeBundle(base, harmlessChange)
    valid.writeUInt32BE(3, valid.indexOf('PACK') + 4)
    return valid
  }),
  ...[0, 5].map((type) =>
    createHostileBundleResult('invalid_pack', `an object of type ${type}`, (base) =>
      createBundleWithObjects(base, base.tree, [], [craftPackEntry(type, Buffer.from(pageText))]),
    ),
  ),
  createHostileBundleResult('invalid_pack', 'fewer bytes than an object declares', (base) =>
    createBundleWithObjects(base, base.tree, [], [craftPackEntry(3, Buffer.from(pageText), { claimedBytes: 1_000 })]),
  ),
  createHostileBundleResult('invalid_objects', 'a wrong checksum', (base) =>
    Buffer.concat([createChangeBundle(base, harmlessChange).subarray(0, -20), Buffer.alloc(20)]),
  ),

  createHostileBundleResult('invalid_objects', 'a delta on a file that does not exist', (base) =>
    createBundleWithObjects(base, base.tree, [], [deltaOn(missingObjectId, 10, 1, 0x90, 1)]),
  ),
  createHostileBundleResult('invalid_objects', 'a delta on a file of another size', (base) =>
    createBundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 99, 1, 0x90, 1)]),
  ),
  createHostileBundleResult('invalid_objects', 'a delta that copies from beyond the end', (base) =>
    createBundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 10, 4, 0x91, 200, 4)]),
  ),
  createHostileBundleResult('invalid_objects', 'a delta that expands to less than it declares', (base) =>
    createBundleWithObjects(base, base.tree, [], [deltaOn(readme.id, 10, 100, 0x90, 1)]),
  ),
  createHostileBundleResult('invalid_objects', 'a delta on an offset before the pack', (base) =>
    createBundleWithObjects(
      base,
      base.tree,
      [],
      [
        Buffer.concat([
          Buffer.from([(6 << 4) | 4, 0xff, 0x7f]),
          craftPackEntry(0, Buffer.from([10, 1, 0x90, 1])).subarray(1),
        ]),
      ],
    ),
  ),
  createHostileBundleResult('invalid_objects', 'two deltas on each other', (base) =>
    createBundleWithObjects(
      base,
      base.tree,
      [],
      [deltaOn(missingObjectId, 1, 1, 1, 0x41), deltaOn(craftGitObject('blob', 'A').id, 1, 1, 1, 0x42)],
    ),
  ),

  createHostileBundleResult('invalid_objects', 'a directory out of order', (base) => {
    const docs = craftTreeObject([createBlobEntry('b.md', pageText), createBlobEntry('a.md', pageText)])
    return createBundleWithDocsTree(base, docs, [craftGitObject('blob', pageText)])
  }),
  createHostileBundleResult('invalid_objects', 'a name twice in a directory', (base) => {
    const docs = craftTreeObject([createBlobEntry('a.md', pageText), createBlobEntry('a.md', '# Other\n')])
    return createBundleWithDocsTree(base, docs, [craftGitObject('blob', pageText), craftGitObject('blob', '# Other\n')])
  }),
  createHostileBundleResult('invalid_objects', 'a file and a directory with the same name', (base) => {
    const folder = craftTreeObject([createBlobEntry('page.md', pageText)])
    const docs = craftTreeObject([createBlobEntry('a.md', pageText), { mode: '40000', name: 'a.md', id: folder.id }])
    return createBundleWithDocsTree(base, docs, [folder, craftGitObject('blob', pageText)])
  }),
  createHostileBundleResult('invalid_objects', 'an empty name', (base) =>
    createBundleWithDocsTree(base, craftTreeObject([createBlobEntry('', pageText)]), [
      craftGitObject('blob', pageText),
    ]),
  ),
  createHostileBundleResult('invalid_objects', 'a truncated directory', (base) =>
    createBundleWithDocsTree(
      base,
      craftGitObject('tree', craftTreeObject([createBlobEntry('a.md', pageText)]).contents.subarray(0, -5)),
    ),
  ),
  createHostileBundleResult('invalid_tree', 'a directory that is a page', (base) => {
    const blob = craftGitObject('blob', pageText)
    return createBundleWithDocsEntry(base, { mode: '40000', name: 'folder', id: blob.id }, [blob])
  }),
  createHostileBundleResult('missing_object', 'a page that is a directory', (base) => {
    const tree = craftTreeObject([createBlobEntry('page.md', pageText)])
    return createBundleWithDocsEntry(base, { mode: '100644', name: 'folder.md', id: tree.id }, [
      tree,
      craftGitObject('blob', pageText),
    ])
  }),
  ...['0100644', '100644x', ''].map((mode) =>
    createHostileBundleResult('invalid_objects', `mode ${JSON.stringify(mode)}`, (base) =>
      createBundleWithDocsEntry(base, { ...createBlobEntry('page.md', pageText), mode }, [
        craftGitObject('blob', pageText),
      ]),
    ),
  ),
  createHostileBundleResult('invalid_objects', 'a directory of mode 040000', (base) => {
    const tree = craftTreeObject([createBlobEntry('page.md', pageText)])
    return createBundleWithDocsEntry(base, { mode: '040000', name: 'folder', id: tree.id }, [
      tree,
      craftGitObject('blob', pageText),
    ])
  }),
  createHostileBundleResult('missing_object', 'a page that is the commit itself', (base) =>
    createBundleWithDocsEntry(base, { mode: '100644', name: 'page.md', id: base.id }),
  ),
  createHostileBundleResult('missing_object', 'a page with missing contents', (base) =>
    createChangeBundle(base, { 'docs/page.md': { mode: '100644', id: missingObjectId } }),
  ),
  createHostileBundleResult('missing_object', 'a missing directory', (base) =>
    createChangeBundle(base, { 'docs/folder': { mode: '40000', id: missingObjectId } }),
  ),

  createHostileBundleResult('invalid_objects', 'a commit without an author', (base) => {
    const commit = craftGitObject('commit', `tree ${base.tree}\nparent ${base.id}\n\nx\n`)
    return createBundle({ bases: [base.id], refs: { HEAD: commit.id }, pack: createPack([commit]) })
  }),
  createHostileBundleResult('invalid_objects', 'a commit with two trees', (base) => {
    const { contents } = craftCommitObject(base.tree, [base.id])
    const commit = craftGitObject('commit', `tree ${base.tree}\n${contents}`)
    return createBundle({ bases: [base.id], refs: { HEAD: commit.id }, pack: createPack([commit]) })
  }),
  createHostileBundleResult('invalid_objects', 'a commit whose tree is a page', (base) => {
    const blob = craftGitObject('blob', pageText)
    return createBundleWithObjects(base, blob.id, [blob])
  }),
  createHostileBundleResult('invalid_objects', 'HEAD is a file', (base) => {
    const blob = craftGitObject('blob', pageText)
    return createBundle({ bases: [base.id], refs: { HEAD: blob.id }, pack: createPack([blob]) })
  }),
  createHostileBundleResult('invalid_objects', 'HEAD is a tag', (base) => {
    const tag = craftTagPackEntry(base.id)
    return createBundle({ bases: [base.id], refs: { HEAD: tag.id }, pack: createPackFromEntries([tag.entry]) })
  }),
  createHostileBundleResult('invalid_objects', 'HEAD does not exist', (base) =>
    withHeader(base, () => [version, `-${base.id}`, `${missingObjectId} HEAD`]),
  ),
]
