/** A running bubblewrap process: how it is started, limited and ended. `Sandbox` implements the protocol on its input and output. */
import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildBubblewrapCommand, type ReadOnlyMount } from './bubblewrap.ts'
import type { SandboxCgroup, SandboxCgroupFactory } from './cgroup.ts'
import type { IsolationLayer } from './isolation-layers.ts'
import type { SandboxLimits } from './limits.ts'
import { findProgram } from './programs.ts'
import { watchResources } from './resource-watch.ts'
import { compileSeccompFilter } from './seccomp.ts'

export interface SandboxOptions {
  /** Mounts that the agent needs. */
  mounts: readonly ReadOnlyMount[]
  /** Contains `gateway.sock`, the only egress. */
  gatewayDirectory: string
  /** Undefined: cgroups are not available. Limits per process, a lower priority and a watch on all processes are used instead. */
  cgroups: SandboxCgroupFactory | undefined
  limits: SandboxLimits
  /** For tests: isolation layers to leave out. */
  disabledLayers?: ReadonlySet<IsolationLayer>
}

export class SandboxError extends Error {
  override name = 'SandboxError'
}

/** If the runner is root, the sandbox runs as nobody: the kernel does not limit the processes of root. */
export const chooseSandboxUser = (): { uid: number; gid: number } | undefined =>
  process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

const maxErrorOutputBytes = 16_384
const closeTimeoutMs = 4_500

export class SandboxProcess {
  readonly input: Writable
  readonly output: Readable
  /** Resolves when every process in the sandbox has ended. */
  readonly ended: Promise<void>
  readonly #child: ChildProcess
  readonly #group: SandboxCgroup | undefined
  #firstProcess: number | undefined
  #errorOutput = ''
  #reason: string | undefined
  #stopWatch = () => {}

  constructor({ mounts, gatewayDirectory, cgroups, limits, disabledLayers = new Set() }: SandboxOptions) {
    const [program, ...args] = buildBubblewrapCommand({
      programs: { bwrap: findProgram('bwrap'), unshare: findProgram('unshare') },
      nodeBinary: realpathSync(process.execPath),
      mounts,
      gatewayDirectory,
      limits,
      disabledLayers: disabledLayers,
    })
    const filter = compileSeccompFilter(process.arch)
    this.#group = cgroups?.create(limits)
    this.#child = spawn(program, args, {
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
      cwd: '/',
      detached: true, // Ctrl-C must reach only the runner, which then shuts down its turns
      ...(disabledLayers.has('environment') ? {} : { env: {} }),
      ...(disabledLayers.has('unprivileged user') ? {} : chooseSandboxUser()),
    })
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        this.#errorOutput += error.message
        resolve()
      })
      this.#child.once('close', () => resolve())
    })
    void this.ended.then(() => this.#stopWatch())

    const streams = this.#child.stdio as [Writable, Readable, Readable, Readable, Writable]
    for (const stream of streams) stream.on('error', () => {}) // streams break when the process ends, which is reported separately
    const [input, output, errorOutput, infoOutput, filterInput] = streams
    this.input = input
    this.output = output
    errorOutput.on('data', (chunk: Buffer) => {
      this.#errorOutput = (this.#errorOutput + chunk.toString('utf8')).slice(0, maxErrorOutputBytes)
    })
    infoOutput.on('data', (chunk: Buffer) => {
      const pid = /"child-pid": *(\d+)/.exec(chunk.toString('utf8'))?.[1]
      if (pid === undefined) return
      this.#firstProcess = Number(pid)
      if (!this.#group)
        this.#stopWatch = watchResources(this.#firstProcess, { limits, disabledLayers }, () =>
          this.kill('its processes exceeded the memory limit of a turn'),
        )
    })
    filterInput.end(filter)
    if (this.#child.pid !== undefined) this.#group?.add(this.#child.pid)
    input.write('\n') // the setup script waits for this line, so that nothing runs outside the cgroup
  }

  get errorOutput(): string {
    return this.#errorOutput
  }

  /** Why the sandbox ended. The first reason wins. */
  get reason(): string {
    return this.#reason ?? 'its supervisor exited'
  }

  kill(reason: string): void {
    this.#reason ??= reason
    this.#stopWatch()
    this.#group?.kill()
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    // When the first process of a PID namespace dies, the kernel kills all others, and its parent is notified only when they
    // are gone: waiting for bubblewrap is waiting for all of them.
    if (this.#firstProcess === undefined) this.#child.kill('SIGKILL')
    else
      try {
        process.kill(this.#firstProcess, 'SIGKILL')
      } catch {
        // already gone
      }
  }

  /** Returns when every process has ended. Throws if that takes five seconds, which means that the host has a problem. */
  async close(): Promise<void> {
    this.kill('it was closed')
    const hasEnded = await Promise.race([this.ended.then(() => true), sleep(closeTimeoutMs, false, { ref: false })])
    if (!hasEnded) {
      this.#child.kill('SIGKILL')
      throw new SandboxError(
        'The processes of a sandbox do not end. Check the load and the kernel log of this machine.',
      )
    }
    await this.#group?.remove()
  }
}
