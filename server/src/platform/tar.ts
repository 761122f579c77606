/** Writes tar archives (ustar) of small files. The archive is complete only with its end, so that a truncated one is noticed. */

const blockBytes = 512
const maxNameBytes = 100

export function tarFile(name: string, content: Buffer, modifiedAt: Date): Buffer {
  if (Buffer.byteLength(name) > maxNameBytes) throw new Error(`The name is too long for a tar archive: ${name}`)
  const header = Buffer.alloc(blockBytes)
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0')
  header.write(name, 0)
  header.write(octal(0o644, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(content.length, 12), 124)
  header.write(octal(Math.floor(modifiedAt.getTime() / 1000), 12), 136)
  header.write(' '.repeat(8), 148) // counts as spaces in the checksum
  header.write('0', 156)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${octal(checksum, 7)}\0 `, 148)
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)
  return Buffer.concat([header, content, padding])
}

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes)
