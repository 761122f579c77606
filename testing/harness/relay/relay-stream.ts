/** One direction of a relayed connection: what one socket receives is written to the other one, subject to a fault. */
import type { Socket } from 'node:net'
import type { Flow } from './relay-fault.ts'

/** `end` is a FIN. `reset` is a RST, or any other end of a connection whose data is not complete. */
type Item =
  | { kind: 'data'; chunk: Buffer; arrivedAtMs: number }
  | { kind: 'end'; arrivedAtMs: number }
  | { kind: 'reset'; arrivedAtMs: number }

/** Called with every chunk before a fault applies to it. */
export type ChunkListener = (chunk: Buffer) => 'forward' | 'drop'

/** More than this stays in the sender's socket, which then cannot send. */
const maxQueuedBytes = { held: 64 * 1024 * 1024, moving: 64 * 1024 }
const maxTrickleSlicesPerSecond = 20

export class RelayStream {
  readonly #source: Socket
  readonly #destination: Socket
  #flow: Flow
  #queue: Item[] = []
  #queuedBytes = 0
  #isDestinationFull = false
  #nextSliceAtMs = 0
  #timer: NodeJS.Timeout | undefined
  #hasLostData = false

  constructor(source: Socket, destination: Socket, flow: Flow, onChunk: ChunkListener) {
    this.#source = source
    this.#destination = destination
    this.#flow = flow
    source.on('data', (chunk) => {
      if (onChunk(chunk) === 'forward') this.#add({ kind: 'data', chunk, arrivedAtMs: performance.now() })
    })
    source.on('end', () => this.#add({ kind: 'end', arrivedAtMs: performance.now() }))
    source.on('close', (hadError) => {
      if (hadError || !source.readableEnded) this.#add({ kind: 'reset', arrivedAtMs: performance.now() })
    })
    const continueWriting = () => {
      this.#isDestinationFull = false
      this.#deliver()
    }
    destination.on('drain', continueWriting)
    destination.on('close', continueWriting) // reading continues, because only reading notices the end of the source
  }

  /** Something was dropped before data that would now be delivered: no TCP connection does that. */
  get isBroken(): boolean {
    return this.#hasLostData && this.#flow.kind !== 'drop'
  }

  setFlow(flow: Flow): void {
    this.#flow = flow
    if (flow.kind === 'drop') this.#dropQueue()
    if (!this.isBroken) this.#deliver()
  }

  /** Delivers nothing anymore. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#queue = []
    this.#queuedBytes = 0
  }

  #add(item: Item): void {
    this.#queue.push(item)
    this.#queuedBytes += sizeBytes(item)
    if (this.#flow.kind === 'drop') this.#dropQueue()
    this.#deliver()
  }

  #dropQueue(): void {
    if (this.#queue.length > 0) this.#hasLostData = true
    this.stop()
  }

  #deliver(): void {
    clearTimeout(this.#timer)
    for (let item = this.#queue[0]; item && !this.#isDestinationFull; item = this.#queue[0]) {
      const waitMs = this.#deliverableAtMs(item) - performance.now()
      if (waitMs > 0) {
        if (waitMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#deliver(), waitMs)
        break
      }
      this.#write(this.#takeNext(item))
    }
    const isHeld = this.#flow.kind === 'hold' || this.#flow.kind === 'delay'
    const isFull = this.#queuedBytes >= (isHeld ? maxQueuedBytes.held : maxQueuedBytes.moving)
    if (isFull) this.#source.pause()
    else if (this.#source.isPaused()) this.#source.resume()
  }

  #deliverableAtMs({ arrivedAtMs }: Item): number {
    if (this.#flow.kind === 'hold') return Number.POSITIVE_INFINITY
    if (this.#flow.kind === 'delay') return arrivedAtMs + this.#flow.delayMs
    if (this.#flow.kind === 'trickle') return this.#nextSliceAtMs
    return 0
  }

  /** Removes the first item of the queue, or as much of it as may be delivered at once. */
  #takeNext(first: Item): Item {
    let item = first
    if (this.#flow.kind === 'trickle' && first.kind === 'data') {
      const { bytesPerSecond } = this.#flow
      const sliceBytes = Math.max(1, Math.floor(bytesPerSecond / maxTrickleSlicesPerSecond))
      item = { ...first, chunk: first.chunk.subarray(0, sliceBytes) }
      first.chunk = first.chunk.subarray(sliceBytes)
      this.#nextSliceAtMs = performance.now() + (sizeBytes(item) / bytesPerSecond) * 1000
      if (sizeBytes(first) === 0) this.#queue.shift()
    } else this.#queue.shift()
    this.#queuedBytes -= sizeBytes(item)
    return item
  }

  #write(item: Item): void {
    const destination = this.#destination
    if (item.kind === 'reset') reset(destination)
    else if (destination.destroyed || destination.writableEnded) return
    else if (item.kind === 'end') destination.end()
    else this.#isDestinationFull = !destination.write(item.chunk)
  }
}

const sizeBytes = (item: Item) => (item.kind === 'data' ? item.chunk.length : 0)

/** A socket that is still connecting would send the RST only when it is connected. */
function reset(socket: Socket): void {
  if (socket.connecting || socket.pending) socket.destroy()
  else socket.resetAndDestroy()
}
