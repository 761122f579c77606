/** Writes ZIP files that depend on nothing but their content: the same files give the same bytes. */
import { crc32, deflateRawSync } from 'node:zlib'

export interface ZipEntry {
  /** With `/` between folders. */
  path: string
  content: Buffer
}

/** Midnight on 1 January 1980, the first time that the format can express. */
const dosTime = 0
const dosDate = (1 << 5) | 1
const deflated = 8
const version = 20
const utf8Names = 0x800
/** A regular file, `rw-r--r--`, as Unix writes it. */
const madeByUnix = (3 << 8) | version
const fileMode = 0o100644 * 2 ** 16

export function writeZip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { path, content } of entries) {
    const name = Buffer.from(path)
    const compressed = deflateRawSync(content, { level: 9 })
    const description = describe(name, content, compressed)
    const local = Buffer.concat([uint32(0x04034b50), description, uint16(0), name, compressed])
    directory.push(
      Buffer.concat([
        uint32(0x02014b50),
        uint16(madeByUnix),
        description,
        ...[0, 0, 0, 0].map(uint16), // lengths of the extra field and of the comment, disk, internal attributes
        uint32(fileMode),
        uint32(offset),
        name,
      ]),
    )
    files.push(local)
    offset += local.length
  }
  const directorySize = directory.reduce((size, { length }) => size + length, 0)
  const end = [
    uint32(0x06054b50),
    ...[0, 0, entries.length, entries.length].map(uint16),
    uint32(directorySize),
    uint32(offset),
    uint16(0),
  ]
  return Buffer.concat([...files, ...directory, ...end])
}

/** What the header of a file and its entry in the directory have in common. */
const describe = (name: Buffer, content: Buffer, compressed: Buffer): Buffer =>
  Buffer.concat([
    ...[version, utf8Names, deflated, dosTime, dosDate].map(uint16),
    ...[crc32(content), compressed.length, content.length].map(uint32),
    uint16(name.length),
  ])

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
