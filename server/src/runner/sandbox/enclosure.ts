/** One running bubblewrap: its start, its limits, its end. What is said through its input and output is `box.ts`'s. */
import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { boxCommand, type ReadOnlyMount } from './bubblewrap.ts'
import type { BoxGroup, BoxGroups } from './cgroup.ts'
import { type BoxLimits, boxLimits } from './limits.ts'
import { watchMemory } from './memory-watch.ts'
import { findProgram } from './programs.ts'
import { seccompProgram } from './seccomp.ts'
import type { Wall } from './walls.ts'

export interface BoxOptions {
  /** What the engine needs to see. */
  mounts: readonly ReadOnlyMount[]
  /** Holds `gateway.sock`, the one way out. */
  gatewayDirectory: string
  /** Where processes and memory can be counted; else limits per process and a watch on their sum have to do. */
  groups: BoxGroups | undefined
  limits?: BoxLimits
  /** For tests: without these walls. */
  without?: ReadonlySet<Wall>
}

export class BoxError extends Error {
  override name = 'BoxError'
}

/** The box runs as nobody where the runner is root: the kernel counts the processes of everyone but root. */
export const boxUser = (): { uid: number; gid: number } | undefined =>
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

const maxErrorOutputBytes = 16_384
const goneWithinMs = 4_500

export class Enclosure {
  readonly input: Writable
  readonly output: Readable
  /** Everything in it has ended. */
  readonly gone: Promise<void>
  readonly #child: ChildProcess
  readonly #group: BoxGroup | undefined
  #firstProcess: number | undefined
  #errorOutput = ''
  #reason: string | undefined
  #stopWatching = () => {}

  constructor({ mounts, gatewayDirectory, groups, limits = boxLimits, without = new Set() }: BoxOptions) {
    const [program, ...args] = boxCommand({
      programs: { bwrap: findProgram('bwrap'), unshare: findProgram('unshare') },
      nodeBinary: realpathSync(process.execPath),
      mounts,
      gatewayDirectory,
      limits,
      without,
    })
    const filter = seccompProgram(process.arch)
    this.#group = groups?.create(limits)
    this.#child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      cwd: '/',
      detached: true, // Ctrl-C is for the runner, which has a word with its turns first
      ...(without.has('environment') ? {} : { env: {} }),
      ...(without.has('ordinary user') ? {} : boxUser()),
    })
    this.gone = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#errorOutput += error.message
        resolve()
      })
      this.#child.once('close', () => resolve())
    })
    void this.gone.then(() => this.#stopWatching())

    const streams = this.#child.stdio as [Writable, Readable, Readable, Readable, Writable]
    for (const stream of streams) stream.on('error', () => {}) // they break when it ends, and its end is what counts
    const [input, output, errorOutput, information, filterInput] = streams
    this.input = input
    this.output = output
    errorOutput.on('data', (chunk: Buffer) => {
      this.#errorOutput = (this.#errorOutput + chunk.toString('utf8')).slice(0, maxErrorOutputBytes)
    })
    information.on('data', (chunk: Buffer) => {
      const pid = /"child-pid": *(\d+)/.exec(chunk.toString('utf8'))?.[1]
      if (pid === undefined) return
      this.#firstProcess = Number(pid)
      if (!this.#group && !without.has('memory'))
        this.#stopWatching = watchMemory(this.#firstProcess, limits.memoryBytes, () =>
          this.kill('its processes used more memory than a turn may'),
        )
    })
    filterInput.end(filter)
    if (this.#child.pid !== undefined) this.#group?.add(this.#child.pid)
    input.write('\n') // it waits for this, so that nothing of it runs outside its group
  }

  get errorOutput(): string {
    return this.#errorOutput
  }

  /** Why it ended. The first reason counts. */
  get reason(): string {
    return this.#reason ?? 'its keeper ended'
  }

  kill(reason: string): void {
    this.#reason ??= reason
    this.#stopWatching()
    this.#group?.kill()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    // The first process of a process namespace takes all others with it, and its own parent hears of its death only when
    // they are gone: waiting for bubblewrap is waiting for them.
    if (this.#firstProcess === undefined) this.#child.kill('SIGKILL')
    else
      try {
        process.kill(this.#firstProcess, 'SIGKILL')
      } catch {
        // gone already
      }
  }

  /** Returns when everything in it is gone. Throws where that takes five seconds: the host is not well. */
  async end(): Promise<void> {
    this.kill('it was closed')
    const gone = await Promise.race([this.gone.then(() => true), sleep(goneWithinMs, false, { ref: false })])
    if (!gone) {
      this.#child.kill('SIGKILL')
      throw new BoxError('The processes of a box do not end.')
    }
    await this.#group?.remove()
  }
}
