/** A process that can be started, killed, paused and started again on the same address and data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from './find-binary.ts'
import { processTree } from './process-tree.ts'
import { asUser, type SystemUser } from './unprivileged-user.ts'

export interface PartOptions {
  name: string
  command: readonly string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Everything the process prints goes here; `print` shows it on the terminal too. */
  logFile: string
  print?: (line: string) => void
  /** Run as this user when we are root: servers like PostgreSQL refuse to be root. */
  user?: SystemUser
  stopSignal?: NodeJS.Signals
  /** True once the part does its work. Asked again and again until it does, or the process ends. */
  isReady: () => Promise<boolean>
  readyWithinSeconds: number
}

const stopWithinMs = 10_000

export class Part {
  readonly name: string
  readonly #options: PartOptions
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(options: PartOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the process that runs now has ended, for whatever reason. */
  get ended(): Promise<void> {
    return this.#ended
  }

  async start(): Promise<void> {
    this.#spawn()
    const { readyWithinSeconds, isReady, logFile } = this.#options
    const until = Date.now() + readyWithinSeconds * 1000
    while (!(await isReady().catch(() => false))) {
      if (!this.#child) {
        await sleep(100)
        throw new Error(`${this.name} ended while starting:\n${lastLines(logFile)}`)
      }
      if (Date.now() > until) {
        await this.kill()
        throw new Error(`${this.name} was not ready within ${readyWithinSeconds} s:\n${lastLines(logFile)}`)
      }
      await sleep(50)
    }
  }

  #spawn(): void {
    if (this.#child) throw new Error(`${this.name} is running already`)
    const { command, env, cwd, logFile, print, user } = this.#options
    const commandLine = [...dieWithParent(user), ...command]
    const [file = '', ...args] = commandLine
    // A group of its own: Ctrl-C on the terminal reaches us alone, and we stop the parts in order.
    const child = spawn(file, args, { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    const log = createWriteStream(logFile, { flags: 'a' })
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(log, { end: false })
      if (print) printLines(stream, print)
    }
    this.#ended = new Promise((resolve) => {
      const onEnd = () => {
        if (this.#child === child) this.#child = undefined
        resolve()
      }
      child.once('error', onEnd)
      child.once('exit', onEnd)
      child.once('close', () => log.end()) // the last words come after the end
    })
  }

  /** kill -9, of the process and all it started: PostgreSQL's children leave its group and would hold its memory a while. */
  async kill(): Promise<void> {
    const tree = this.pid === undefined ? [] : await processTree(this.pid)
    for (const { pid } of tree) sendSignal(pid, 'SIGKILL')
    this.#signal('SIGKILL')
    await this.#ended
  }

  /** Resident memory of the process and all it started. */
  async memoryBytes(): Promise<number> {
    const tree = this.pid === undefined ? [] : await processTree(this.pid)
    return tree.reduce((sum, { residentBytes }) => sum + residentBytes, 0)
  }

  pause(): void {
    this.#signal('SIGSTOP')
  }

  resume(): void {
    this.#signal('SIGCONT')
  }

  /** Asks the process to end, and kills it when it does not. */
  async stop(): Promise<void> {
    if (!this.#child) return
    this.#signal('SIGCONT')
    this.#signal(this.#options.stopSignal ?? 'SIGTERM')
    const ended = await Promise.race([this.#ended.then(() => true), sleep(stopWithinMs, false, { ref: false })])
    if (!ended) await this.kill()
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.pid !== undefined) sendSignal(-this.pid, signal)
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it ended by itself meanwhile
  }
}

/** On Linux the kernel ends the part when we are killed ourselves; elsewhere only an orderly end does. */
const dieWithParent = (user: SystemUser | undefined): string[] =>
  process.platform === 'linux' && findBinary('setpriv') ? asUser(user, ['--pdeathsig', 'KILL']) : []

function printLines(stream: NodeJS.ReadableStream, print: (line: string) => void): void {
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) print(line)
  })
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n')
  } catch {
    return '(it printed nothing)'
  }
}
