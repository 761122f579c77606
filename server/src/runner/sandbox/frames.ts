/**
 * The protocol between the runner and the supervisor, over the supervisor's standard input and output. A frame has a kind, the
 * number of the process that it concerns, and a payload. A hostile program may have written the frames that the runner reads:
 * their length is limited, and the runner does not trust their content.
 */
export const frameKinds = {
  // runner → supervisor
  start: 1,
  input: 2,
  inputEnd: 3,
  kill: 4,
  killAll: 5,
  // supervisor → runner
  ready: 16,
  output: 17,
  errorOutput: 18,
  ended: 19,
  killedAll: 20,
} as const

export interface Frame {
  kind: number
  processNumber: number
  payload: Buffer
}

/** Payload of `start`, as JSON. */
export interface StartProcessRequest {
  command: readonly [program: string, ...args: string[]]
  directory: string
  environment: Readonly<Record<string, string>>
}

/** Payload of `ended`, as JSON. `error` is set if the process could not be started. */
export interface ProcessEndedReport {
  code: number | null
  signal: string | null
  error?: string
}

export const maxFramePayloadBytes = 1024 * 1024
const headerBytes = 9

export function encodeFrame(kind: number, process: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  if (payload.length > maxFramePayloadBytes) throw new Error(`a frame payload of ${payload.length} bytes is too long`)
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(payload.length, 0)
  header.writeUInt8(kind, 4)
  header.writeUInt32BE(process, 5)
  return Buffer.concat([header, payload])
}

/** Splits a byte stream into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0

  /** Returns the frames that are complete now. Throws if the bytes cannot be a frame. */
  read(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes >= headerBytes) {
      const first = this.#first(headerBytes)
      const payloadBytes = first.readUInt32BE(0)
      if (payloadBytes > maxFramePayloadBytes) throw new Error(`a frame payload of ${payloadBytes} bytes is too long`)
      if (this.#bytes < headerBytes + payloadBytes) break
      const frame = this.#first(headerBytes + payloadBytes)
      this.#chunks[0] = frame.subarray(headerBytes + payloadBytes)
      this.#bytes -= headerBytes + payloadBytes
      frames.push({
        kind: frame.readUInt8(4),
        processNumber: frame.readUInt32BE(5),
        payload: frame.subarray(headerBytes, headerBytes + payloadBytes),
      })
    }
    return frames
  }

  /** The first chunk, joined with the others if it is too short. This avoids one concatenation per arriving chunk. */
  #first(bytes: number): Buffer {
    const [first] = this.#chunks
    if (first && first.length >= bytes) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }
}
