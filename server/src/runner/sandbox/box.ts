/**
 * A box: where one turn happens, and all that its model can reach. One bubblewrap stays up for the whole turn, with a keeper
 * inside that starts what the runner asks for. Everything it can write to is memory with a size, so files go in and come
 * out as bytes through programs inside (`cat`, `tar`, `git bundle`), and nobody outside ever opens a tree that was inside.
 * Ending the box ends every process in it, and leaves nothing on the disk.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { boxEnvironment } from './bubblewrap.ts'
import { BoxError, type BoxOptions, Enclosure } from './enclosure.ts'
import { explainStart } from './explain-start.ts'
import { type EndedReport, encodeFrame, type Frame, FrameReader, frameKinds, maxPayloadBytes } from './frames.ts'

export interface BoxCommand {
  command: readonly [program: string, ...args: string[]]
  /** `/workspace` unless said. */
  directory?: string
  /** Beside what every program in the box gets. */
  environment?: Readonly<Record<string, string>>
  /** Of output and error output together; with one more the program is ended. */
  maxOutputBytes: number
}

export interface OutputListener {
  onOutput(chunk: Buffer): void
  onErrorOutput(chunk: Buffer): void
}

export interface BoxProcess {
  write(bytes: string | Uint8Array): void
  endInput(): void
  /** Ends it and its process group. What else it started ends with the box, or by `endProcesses`. */
  kill(): void
  readonly ended: Promise<ProcessEnd>
}

export type ProcessEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'not_started'; reason: string }
  | { kind: 'too_much_output' }
  | { kind: 'box_ended'; reason: string }

export interface Finished {
  end: ProcessEnd
  output: Buffer
  errorOutput: Buffer
}

interface Running {
  listener: OutputListener
  bytesLeft: number
  end(end: ProcessEnd): void
}

const readyWithinMs = 15_000
/** What a frame takes here at the least: without it, any number of empty ones would be free. */
const frameCostBytes = 64

export class Box implements AsyncDisposable {
  readonly #enclosure: Enclosure
  readonly #processes = new Map<number, Running>()
  readonly #sweeps = new Map<number, () => void>()
  readonly #ready = Promise.withResolvers<'ready'>()
  #number = 0
  #gone = false

  /** Throws a `BoxError` that says what to do about it. */
  static async open(options: BoxOptions): Promise<Box> {
    const box = new Box(new Enclosure(options))
    const outcome = await Promise.race([
      box.#ready.promise,
      box.#enclosure.gone.then(() => 'gone' as const),
      sleep(readyWithinMs, 'late' as const, { ref: false }),
    ])
    if (outcome === 'ready') return box
    await box.close()
    throw new BoxError(
      outcome === 'gone' ? explainStart(box.#enclosure.errorOutput) : `A box was not up after ${readyWithinMs} ms.`,
    )
  }

  private constructor(enclosure: Enclosure) {
    this.#enclosure = enclosure
    const reader = new FrameReader()
    enclosure.output.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.read(chunk)) this.#take(frame)
      } catch {
        enclosure.kill('somebody in it spoke in the place of its keeper')
      }
    })
    void enclosure.gone.then(() => {
      this.#gone = true
      for (const running of this.#processes.values()) running.end(this.#boxEnded())
    })
  }

  start(
    { command, directory = '/workspace', environment = {}, maxOutputBytes }: BoxCommand,
    listener: OutputListener,
  ): BoxProcess {
    const number = ++this.#number
    const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>()
    const end = (how: ProcessEnd) => {
      this.#processes.delete(number)
      resolve(how)
    }
    this.#processes.set(number, { listener, bytesLeft: maxOutputBytes, end })
    if (this.#gone) end(this.#boxEnded())
    const request = { command, directory, environment: { ...boxEnvironment, ...environment } }
    this.#send(frameKinds.start, number, Buffer.from(JSON.stringify(request)))
    return {
      write: (bytes) => {
        const rest = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
        for (let at = 0; at < rest.length; at += maxPayloadBytes)
          this.#send(frameKinds.input, number, rest.subarray(at, at + maxPayloadBytes))
      },
      endInput: () => this.#send(frameKinds.inputEnd, number),
      kill: () => this.#send(frameKinds.kill, number),
      ended,
    }
  }

  /** Runs a program to its end. When `signal` says so, it is killed. */
  async run(
    command: BoxCommand,
    { input, signal }: { input?: string | Uint8Array; signal?: AbortSignal } = {},
  ): Promise<Finished> {
    const output: Buffer[] = []
    const errorOutput: Buffer[] = []
    const process = this.start(command, {
      onOutput: (chunk) => output.push(chunk),
      onErrorOutput: (chunk) => errorOutput.push(chunk),
    })
    if (input !== undefined) process.write(input)
    process.endInput()
    const stop = () => process.kill()
    signal?.addEventListener('abort', stop)
    if (signal?.aborted) stop()
    const end = await process.ended
    signal?.removeEventListener('abort', stop)
    return { end, output: Buffer.concat(output), errorOutput: Buffer.concat(errorOutput) }
  }

  /** Ends every process in the box, also those that hid from whoever started them; the box stays. */
  async endProcesses(): Promise<void> {
    const number = ++this.#number
    const swept = new Promise<void>((resolve) => this.#sweeps.set(number, resolve))
    this.#send(frameKinds.sweep, number)
    await Promise.race([swept, this.#enclosure.gone])
    this.#sweeps.delete(number)
  }

  /** Returns when everything in it is gone, within five seconds; throws where it is not. */
  async close(): Promise<void> {
    await this.#enclosure.end()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #boxEnded(): ProcessEnd {
    return { kind: 'box_ended', reason: this.#enclosure.reason }
  }

  #send(kind: number, number: number, payload?: Uint8Array): void {
    if (this.#enclosure.input.writable) this.#enclosure.input.write(encodeFrame(kind, number, payload))
  }

  #take({ kind, process: number, payload }: Frame): void {
    if (kind === frameKinds.ready) this.#ready.resolve('ready')
    if (kind === frameKinds.swept) this.#sweeps.get(number)?.()
    const running = this.#processes.get(number)
    if (running && (kind === frameKinds.output || kind === frameKinds.errorOutput)) {
      running.bytesLeft -= payload.length + frameCostBytes
      if (running.bytesLeft < 0) {
        this.#send(frameKinds.kill, number)
        running.end({ kind: 'too_much_output' })
      } else if (kind === frameKinds.output) running.listener.onOutput(payload)
      else running.listener.onErrorOutput(payload)
    }
    if (kind === frameKinds.ended) running?.end(endOf(payload))
  }
}

function endOf(payload: Buffer): ProcessEnd {
  const { code, signal, error } = JSON.parse(payload.toString('utf8')) as Partial<EndedReport>
  if (typeof error === 'string') return { kind: 'not_started', reason: error }
  if (typeof code === 'number') return { kind: 'exited', code }
  return { kind: 'killed', signal: String(signal) }
}
