/**
 * Inspects a pack before git reads it. A few bytes of a pack can expand to gigabytes, in one object or in many, and git finds
 * out only by expanding them. Here the declared size of every object is checked first, and the total is limited.
 */
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'

export type PackLimits = { maxObjects: number; maxObjectBytes: number; maxTotalBytes: number }

export type PackRefusal = 'invalid_pack' | 'too_many_objects' | 'object_too_large' | 'unpacked_too_large'

const headerBytes = 12
const checksumBytes = 20
const objectIdBytes = 20
const undeltifiedTypes = new Set([1, 2, 3, 4]) // commit, tree, blob, tag
const offsetDelta = 6
const referenceDelta = 7

type Inflated = { buffer: Buffer; engine: { bytesWritten: number } }
const inflateWithInfo = promisify(inflate) as unknown as (
  input: Uint8Array,
  options: { maxOutputLength: number; info: true },
) => Promise<Inflated>

/** Undefined: the pack is within the limits. Git validates the objects themselves. */
export async function checkPack(pack: Buffer, limits: PackLimits): Promise<PackRefusal | undefined> {
  if (pack.length < headerBytes + checksumBytes || pack.toString('latin1', 0, 4) !== 'PACK') return 'invalid_pack'
  if (pack.readUInt32BE(4) !== 2) return 'invalid_pack'
  const objects = pack.readUInt32BE(8)
  if (objects > limits.maxObjects) return 'too_many_objects'

  const end = pack.length - checksumBytes
  let position = headerBytes
  let totalBytes = 0
  for (let index = 0; index < objects; index++) {
    const header = readObjectHeader(pack.subarray(position, end))
    if (!header) return 'invalid_pack'
    if (header.sizeBytes > limits.maxObjectBytes) return 'object_too_large'
    position += header.length

    const inflated = await inflateAtMost(pack.subarray(position, end), header.sizeBytes)
    if (inflated?.buffer.length !== header.sizeBytes) return 'invalid_pack'
    position += inflated.engine.bytesWritten

    const resultBytes = header.isDelta ? deltaResultBytes(inflated.buffer) : 0
    if (resultBytes === undefined) return 'invalid_pack'
    if (resultBytes > limits.maxObjectBytes) return 'object_too_large'
    totalBytes += header.sizeBytes + resultBytes
    if (totalBytes > limits.maxTotalBytes) return 'unpacked_too_large'
  }
  return position === end ? undefined : 'invalid_pack'
}

async function inflateAtMost(input: Uint8Array, sizeBytes: number): Promise<Inflated | undefined> {
  try {
    return await inflateWithInfo(input, { maxOutputLength: Math.max(sizeBytes, 1), info: true })
  } catch {
    return undefined
  }
}

/** Reads type and size, and for a delta also the reference to its base. */
function readObjectHeader(bytes: Buffer): { isDelta: boolean; sizeBytes: number; length: number } | undefined {
  const first = bytes[0]
  if (first === undefined) return undefined
  const type = (first >> 4) & 7
  const size = first & 0x80 ? readVariableLength(bytes, 1) : { value: 0, end: 1 }
  if (!size) return undefined
  const sizeBytes = size.value * 16 + (first & 15)
  if (undeltifiedTypes.has(type)) return { isDelta: false, sizeBytes, length: size.end }
  if (type === referenceDelta) return { isDelta: true, sizeBytes, length: size.end + objectIdBytes }
  if (type !== offsetDelta) return undefined
  const offset = readVariableLength(bytes, size.end)
  return offset && { isDelta: true, sizeBytes, length: offset.end }
}

/** A delta starts with the size of its base and the size of its result. */
function deltaResultBytes(delta: Buffer): number | undefined {
  const base = readVariableLength(delta, 0)
  return base && readVariableLength(delta, base.end)?.value
}

/** Little-endian base 128. No legitimate value needs more than seven bytes. */
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
