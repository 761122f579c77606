/** A process that can be started, killed, paused and restarted with the same address and data. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from './find-binary.ts'
import { processTree } from './process-tree.ts'
import { type SystemUser, setprivPrefix } from './unprivileged-user.ts'

export interface ManagedProcessOptions {
  name: string
  command: readonly string[]
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Receives everything that the process prints. `print` receives it line by line as well. */
  logFile: string
  print?: (line: string) => void
  /** The user to run as if this process is root: servers such as PostgreSQL refuse to run as root. */
  user?: SystemUser
  stopSignal?: NodeJS.Signals
  /** How long the process may take to stop before it is killed. Default: 10. */
  stopWithinSeconds?: number
  /** Called repeatedly after the start until it returns true or the process exits. */
  isReady: () => Promise<boolean>
  readyWithinSeconds: number
}

const defaultStopWithinSeconds = 10

export class ManagedProcess {
  readonly name: string
  readonly #options: ManagedProcessOptions
  #child: ChildProcess | undefined
  #ended: Promise<void> = Promise.resolve()

  constructor(options: ManagedProcessOptions) {
    this.name = options.name
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** Resolves when the current process has exited, for any reason. */
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
        throw new Error(`${this.name} exited while starting:\n${lastLines(logFile)}`)
      }
      if (Date.now() > until) {
        await this.kill()
        throw new Error(`${this.name} was not ready within ${readyWithinSeconds} s:\n${lastLines(logFile)}`)
      }
      await sleep(50)
    }
  }

  #spawn(): void {
    if (this.#child) throw new Error(`${this.name} is already running`)
    const { command, env, cwd, logFile, print, user } = this.#options
    const commandLine = [...dieWithParent(user), ...command]
    const [file = '', ...args] = commandLine
    // In its own process group: Ctrl-C on the terminal reaches only this process, which stops the others in order.
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
      child.once('close', () => log.end()) // output can arrive after the exit
    })
  }

  /**
   * Sends SIGKILL to the process and all its descendants: PostgreSQL's children leave its group and would keep its
   * shared memory for a while.
   */
  async kill(): Promise<void> {
    const tree = this.pid === undefined ? [] : await processTree(this.pid)
    for (const { pid } of tree) sendSignal(pid, 'SIGKILL')
    this.#signal('SIGKILL')
    await this.#ended
  }

  /** Resident memory of the process and all its descendants. */
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

  /** Sends the stop signal, and SIGKILL if the process does not exit in time. */
  async stop(): Promise<void> {
    if (!this.#child) return
    this.#signal('SIGCONT')
    this.#signal(this.#options.stopSignal ?? 'SIGTERM')
    const { stopWithinSeconds = defaultStopWithinSeconds } = this.#options
    const timeout = sleep(stopWithinSeconds * 1000, false, { ref: false })
    const ended = await Promise.race([this.#ended.then(() => true), timeout])
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
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // the process has exited in the meantime
  }
}

/**
 * On Linux, the kernel kills the process when this one is killed. On other systems, it ends only if this one exits in
 * order.
 */
const dieWithParent = (user: SystemUser | undefined): string[] =>
  process.platform === 'linux' && findBinary('setpriv') ? setprivPrefix(user, ['--pdeathsig', 'KILL']) : []

function printLines(stream: NodeJS.ReadableStream, print: (line: string) => void): void {
  let incompleteLine = ''
  stream.on('data', (chunk: Buffer) => {
    const lines = (incompleteLine + chunk.toString()).split('\n')
    incompleteLine = lines.pop() ?? ''
    for (const line of lines) print(line)
  })
}

function lastLines(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-20).join('\n')
  } catch {
    return '(no output)'
  }
}
