/**
 * The sandbox in which one turn runs, and all that its model can reach. One bubblewrap process runs for the whole turn, with a
 * supervisor inside that starts commands for the runner. Everything writable is size-limited memory. Files are copied in and
 * out as bytes through programs inside (`cat`, `tar`, `git bundle`), so no process outside ever opens a file tree that was
 * inside. Closing the sandbox ends every process in it and leaves nothing on disk.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sandboxEnvironment } from './bubblewrap.ts'
import { explainStartFailure } from './explain-start-failure.ts'
import {
  encodeFrame,
  type Frame,
  FrameReader,
  frameKinds,
  maxFramePayloadBytes,
  type ProcessEndedReport,
} from './frames.ts'
import { SandboxError, type SandboxOptions, SandboxProcess } from './sandbox-process.ts'

export interface SandboxCommand {
  command: readonly [program: string, ...args: string[]]
  /** Default: `/workspace`. */
  directory?: string
  /** Added to the environment that every program in the sandbox gets. */
  environment?: Readonly<Record<string, string>>
  /** Of output and error output together. A program that exceeds it is killed. */
  maxOutputBytes: number
}

export interface OutputListener {
  onOutput(chunk: Buffer): void
  onErrorOutput(chunk: Buffer): void
}

export interface CommandHandle {
  write(bytes: string | Uint8Array): void
  endInput(): void
  /** Kills the process and its process group. Other processes that it started end with the sandbox, or by `killProcesses`. */
  kill(): void
  readonly ended: Promise<ProcessEnd>
}

export type ProcessEnd =
  | { kind: 'exited'; code: number }
  | { kind: 'killed'; signal: string }
  | { kind: 'not_started'; reason: string }
  | { kind: 'too_much_output' }
  | { kind: 'sandbox_ended'; reason: string }

export interface CommandResult {
  end: ProcessEnd
  output: Buffer
  errorOutput: Buffer
}

interface RunningCommand {
  listener: OutputListener
  bytesLeft: number
  end(end: ProcessEnd): void
}

const startTimeoutMs = 15_000
/** Counted for every frame: without it, empty frames would be free. */
const frameOverheadBytes = 64

export class Sandbox implements AsyncDisposable {
  readonly #process: SandboxProcess
  readonly #commands = new Map<number, RunningCommand>()
  readonly #killRequests = new Map<number, () => void>()
  readonly #ready = Promise.withResolvers<'ready'>()
  #lastNumber = 0
  #hasEnded = false

  /** Throws a `SandboxError` with a message that says what to do. */
  static async open(options: SandboxOptions): Promise<Sandbox> {
    const sandbox = new Sandbox(new SandboxProcess(options))
    const outcome = await Promise.race([
      sandbox.#ready.promise,
      sandbox.#process.ended.then(() => 'ended' as const),
      sleep(startTimeoutMs, 'timeout' as const, { ref: false }),
    ])
    if (outcome === 'ready') return sandbox
    await sandbox.close()
    throw new SandboxError(
      outcome === 'ended'
        ? explainStartFailure(sandbox.#process.errorOutput)
        : `The sandbox did not start within ${startTimeoutMs} ms. Check the load of this machine.`,
    )
  }

  private constructor(process: SandboxProcess) {
    this.#process = process
    const reader = new FrameReader()
    process.output.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.read(chunk)) this.#receive(frame)
      } catch {
        process.kill('a process in it wrote to the output of its supervisor')
      }
    })
    void process.ended.then(() => {
      this.#hasEnded = true
      for (const running of this.#commands.values()) running.end(this.#sandboxEnded())
    })
  }

  start(
    { command, directory = '/workspace', environment = {}, maxOutputBytes }: SandboxCommand,
    listener: OutputListener,
  ): CommandHandle {
    const number = ++this.#lastNumber
    const { promise: ended, resolve } = Promise.withResolvers<ProcessEnd>()
    const end = (reason: ProcessEnd) => {
      this.#commands.delete(number)
      resolve(reason)
    }
    this.#commands.set(number, { listener, bytesLeft: maxOutputBytes, end })
    if (this.#hasEnded) end(this.#sandboxEnded())
    const request = { command, directory, environment: { ...sandboxEnvironment, ...environment } }
    this.#send(frameKinds.start, number, Buffer.from(JSON.stringify(request)))
    return {
      write: (bytes) => {
        const input = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
        for (let offset = 0; offset < input.length; offset += maxFramePayloadBytes)
          this.#send(frameKinds.input, number, input.subarray(offset, offset + maxFramePayloadBytes))
      },
      endInput: () => this.#send(frameKinds.inputEnd, number),
      kill: () => this.#send(frameKinds.kill, number),
      ended,
    }
  }

  /** Runs a program until it exits. Aborting `signal` kills it. */
  async run(
    command: SandboxCommand,
    { input, signal }: { input?: string | Uint8Array; signal?: AbortSignal } = {},
  ): Promise<CommandResult> {
    const output: Buffer[] = []
    const errorOutput: Buffer[] = []
    const process = this.start(command, {
      onOutput: (chunk) => output.push(chunk),
      onErrorOutput: (chunk) => errorOutput.push(chunk),
    })
    if (input !== undefined) process.write(input)
    process.endInput()
    const kill = () => process.kill()
    signal?.addEventListener('abort', kill)
    if (signal?.aborted) kill()
    const end = await process.ended
    signal?.removeEventListener('abort', kill)
    return { end, output: Buffer.concat(output), errorOutput: Buffer.concat(errorOutput) }
  }

  /** Kills every process in the sandbox, even detached ones, and keeps the sandbox open. */
  async killProcesses(): Promise<void> {
    const number = ++this.#lastNumber
    const killed = new Promise<void>((resolve) => this.#killRequests.set(number, resolve))
    this.#send(frameKinds.killAll, number)
    await Promise.race([killed, this.#process.ended])
    this.#killRequests.delete(number)
  }

  /** Returns when every process has ended. Throws if that takes five seconds. */
  async close(): Promise<void> {
    await this.#process.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #sandboxEnded(): ProcessEnd {
    return { kind: 'sandbox_ended', reason: this.#process.reason }
  }

  #send(kind: number, number: number, payload?: Uint8Array): void {
    if (this.#process.input.writable) this.#process.input.write(encodeFrame(kind, number, payload))
  }

  #receive({ kind, processNumber: number, payload }: Frame): void {
    if (kind === frameKinds.ready) this.#ready.resolve('ready')
    if (kind === frameKinds.killedAll) this.#killRequests.get(number)?.()
    const running = this.#commands.get(number)
    if (running && (kind === frameKinds.output || kind === frameKinds.errorOutput)) {
      running.bytesLeft -= payload.length + frameOverheadBytes
      if (running.bytesLeft < 0) {
        this.#send(frameKinds.kill, number)
        running.end({ kind: 'too_much_output' })
      } else if (kind === frameKinds.output) running.listener.onOutput(payload)
      else running.listener.onErrorOutput(payload)
    }
    if (kind === frameKinds.ended) running?.end(parseEndedReport(payload))
  }
}

function parseEndedReport(payload: Buffer): ProcessEnd {
  const { code, signal, error } = JSON.parse(payload.toString('utf8')) as Partial<ProcessEndedReport>
  if (typeof error === 'string') return { kind: 'not_started', reason: error }
  if (typeof code === 'number') return { kind: 'exited', code }
  return { kind: 'killed', signal: String(signal) }
}
