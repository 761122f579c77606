/**
 * What runner and keeper say to each other over the keeper's standard input and output: a kind, the number of the
 * process it is about, and bytes. The runner reads frames that a hostile program may have written: each is bounded, and
 * nothing in one is believed.
 */
export const frameKinds = {
  // runner → keeper
  start: 1,
  input: 2,
  inputEnd: 3,
  kill: 4,
  sweep: 5,
  // keeper → runner
  ready: 16,
  output: 17,
  errorOutput: 18,
  ended: 19,
  swept: 20,
} as const

export interface Frame {
  kind: number
  process: number
  payload: Buffer
}

/** `start`, as JSON. */
export interface StartRequest {
  command: readonly [program: string, ...args: string[]]
  directory: string
  environment: Readonly<Record<string, string>>
}

/** `ended`, as JSON. `error`: it could not be started. */
export interface EndedReport {
  code: number | null
  signal: string | null
  error?: string
}

export const maxPayloadBytes = 1024 * 1024
const headerBytes = 9

export function encodeFrame(kind: number, process: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  if (payload.length > maxPayloadBytes) throw new Error(`a frame of ${payload.length} bytes is too long`)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(payload.length, 0)
  header.writeUInt8(kind, 4)
  header.writeUInt32BE(process, 5)
  return Buffer.concat([header, payload])
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0

  /** The frames that are whole now. Throws when what came cannot be a frame. */
  read(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes >= headerBytes) {
      const first = this.#first(headerBytes)
      const payloadBytes = first.readUInt32BE(0)
      if (payloadBytes > maxPayloadBytes) throw new Error(`a frame of ${payloadBytes} bytes is too long`)
      if (this.#bytes < headerBytes + payloadBytes) break
      const frame = this.#first(headerBytes + payloadBytes)
      this.#chunks[0] = frame.subarray(headerBytes + payloadBytes)
      this.#bytes -= headerBytes + payloadBytes
      frames.push({
        kind: frame.readUInt8(4),
        process: frame.readUInt32BE(5),
        payload: frame.subarray(headerBytes, headerBytes + payloadBytes),
      })
    }
    return frames
  }

  /** The first chunk, joined with the following ones until it is long enough: not once per arriving chunk. */
  #first(bytes: number): Buffer {
    const [first] = this.#chunks
    if (first && first.length >= bytes) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }
}
