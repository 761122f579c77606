/**
 * Reads through a pack before git sees it. A few bytes of a pack can stand for gigabytes, as one object or as many; git
 * finds out by making them. Here every object says its size first, and the sum stays below a limit.
 */
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

export type PackLimits = { objects: number; objectBytes: number; totalBytes: number }

export type PackRefusal = 'broken_pack' | 'too_many_objects' | 'object_too_large' | 'too_much_content'

const headerBytes = 12
const checksumBytes = 20
const objectIdBytes = 20
const plainTypes = new Set([1, 2, 3, 4]) // commit, tree, blob, tag
const offsetDelta = 6
const referenceDelta = 7

type Inflated = { buffer: Buffer; engine: { bytesWritten: number } }
const inflateSome = promisify(inflate) as unknown as (
  input: Uint8Array,
  options: { maxOutputLength: number; info: true },
) => Promise<Inflated>

/** Undefined: within the limits. Whether the objects are sound is for git to say. */
export async function refusalOfPack(pack: Buffer, limits: PackLimits): Promise<PackRefusal | undefined> {
  if (pack.length < headerBytes + checksumBytes || pack.toString('latin1', 0, 4) !== 'PACK') return 'broken_pack'
  if (pack.readUInt32BE(4) !== 2) return 'broken_pack'
  const objects = pack.readUInt32BE(8)
  if (objects > limits.objects) return 'too_many_objects'

  const end = pack.length - checksumBytes
  let position = headerBytes
  let totalBytes = 0
  for (let index = 0; index < objects; index++) {
    const header = readObjectHeader(pack.subarray(position, end))
    if (!header) return 'broken_pack'
    if (header.sizeBytes > limits.objectBytes) return 'object_too_large'
    position += header.length

    const inflated = await inflateAtMost(pack.subarray(position, end), header.sizeBytes)
    if (inflated?.buffer.length !== header.sizeBytes) return 'broken_pack'
    position += inflated.engine.bytesWritten

    const madeBytes = header.isDelta ? sizeMadeBy(inflated.buffer) : 0
    if (madeBytes === undefined) return 'broken_pack'
    if (madeBytes > limits.objectBytes) return 'object_too_large'
    totalBytes += header.sizeBytes + madeBytes
    if (totalBytes > limits.totalBytes) return 'too_much_content'
  }
  return position === end ? undefined : 'broken_pack'
}

async function inflateAtMost(input: Uint8Array, sizeBytes: number): Promise<Inflated | undefined> {
  try {
    return await inflateSome(input, { maxOutputLength: Math.max(sizeBytes, 1), info: true })
  } catch {
    return undefined
  }
}

/** Type and size, and for a delta also where its base is. */
function readObjectHeader(bytes: Buffer): { isDelta: boolean; sizeBytes: number; length: number } | undefined {
  const first = bytes[0]
  if (first === undefined) return undefined
  const type = (first >> 4) & 7
  const size = first & 0x80 ? readVariableLength(bytes, 1) : { value: 0, end: 1 }
  if (!size) return undefined
  const sizeBytes = size.value * 16 + (first & 15)
  if (plainTypes.has(type)) return { isDelta: false, sizeBytes, length: size.end }
  if (type === referenceDelta) return { isDelta: true, sizeBytes, length: size.end + objectIdBytes }
  if (type !== offsetDelta) return undefined
  const offset = readVariableLength(bytes, size.end)
  return offset && { isDelta: true, sizeBytes, length: offset.end }
}

/** A delta begins with the size of its base and the size of what it makes. */
function sizeMadeBy(delta: Buffer): number | undefined {
  const base = readVariableLength(delta, 0)
  return base && readVariableLength(delta, base.end)?.value
}

/** Seven bits a byte, the lowest first. Nothing honest here needs more than seven bytes. */
function readVariableLength(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0
  for (let index = 0; index < 7; index++) {
    const byte = bytes[start + index]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * index)
    if (!(byte & 0x80)) return { value, end: start + index + 1 }
  }
  return undefined
}
