/** Git objects built by hand, including objects that git itself would never create. */
import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type GitObjectType = 'commit' | 'tree' | 'blob'
export type GitObject = { id: string; type: GitObjectType; contents: Buffer }

export function craftGitObject(type: GitObjectType, contents: Buffer | string): GitObject {
  const bytes = Buffer.from(contents)
  const id = createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
  return { id, type, contents: bytes }
}

/** A name has one character per byte (Latin-1). */
export type TreeEntry = { mode: string; name: string; id: string }

export function craftTreeObject(entries: readonly TreeEntry[]): GitObject {
  const parts = entries.map(({ mode, name, id }) => `${mode} ${name}\0${Buffer.from(id, 'hex').toString('latin1')}`)
  return craftGitObject('tree', Buffer.from(parts.join(''), 'latin1'))
}

export function craftCommitObject(tree: string, parents: readonly string[], message = 'A result\n'): GitObject {
  const person = 'Mallory <mallory@example.com> 1700000000 +0000'
  const lines = [`tree ${tree}`, ...parents.map((id) => `parent ${id}`), `author ${person}`, `committer ${person}`]
  return craftGitObject('commit', `${lines.join('\n')}\n\n${message}`)
}

const typeNumbers: Record<GitObjectType, number> = { commit: 1, tree: 2, blob: 3 }

export function createPack(objects: Iterable<GitObject>): Buffer {
  return createPackFromEntries([...objects].map(({ type, contents }) => craftPackEntry(typeNumbers[type], contents)))
}

/** A tag object, and its entry in a pack. */
export function craftTagPackEntry(commit: string): { id: string; entry: Buffer } {
  const tagger = 'Mallory <mallory@example.com> 1700000000 +0000'
  const contents = Buffer.from(`object ${commit}\ntype commit\ntag v1\ntagger ${tagger}\n\nx\n`)
  const id = createHash('sha1').update(`tag ${contents.length}\0`).update(contents).digest('hex')
  return { id, entry: craftPackEntry(4, contents) }
}

/** `claimedBytes` is the size that the entry declares, which may be wrong. */
export function craftPackEntry(
  type: number,
  contents: Buffer,
  { claimedBytes = contents.length, base = '' } = {},
): Buffer {
  const header: number[] = []
  let rest = Math.floor(claimedBytes / 16)
  header.push((rest > 0 ? 0x80 : 0) | (type << 4) | (claimedBytes & 15))
  while (rest > 0) {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    header.push((rest > 0 ? 0x80 : 0) | low)
  }
  return Buffer.concat([Buffer.from(header), Buffer.from(base, 'hex'), deflateSync(contents)])
}

export function createPackFromEntries(entries: readonly Buffer[], claimedObjects = entries.length): Buffer {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(claimedObjects, 8)
  const body = Buffer.concat([header, ...entries])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}

export function createBundle(parts: { bases: readonly string[]; refs: Record<string, string>; pack: Buffer }): Buffer {
  const lines = [
    '# v2 git bundle',
    ...parts.bases.map((id) => `-${id} base`),
    ...Object.entries(parts.refs).map(([name, id]) => `${id} ${name}`),
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\n')}\n\n`), parts.pack])
}
