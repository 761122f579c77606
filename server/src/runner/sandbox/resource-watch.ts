/**
 * Enforces the limits of a sandbox that has no cgroup. Several times a second, the runner adds up what the processes of the sandbox use:
 * too much memory ends the sandbox, and too much CPU time lowers its priority.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { BubblewrapOptions } from './bubblewrap.ts'
import { sandboxNiceness } from './limits.ts'
import { listProcesses, type SandboxedProcess } from './list-processes.ts'

const checkIntervalMs = 250
const cpuWindowMs = 5_000

/** The lowest priority, for a sandbox that used more than its share of the CPUs. */
const demotedNiceness = 19

/** The kernel allows an unprivileged process one change of an autogroup every 100 ms. */
const autogroupChangesPerCheck = process.getuid?.() === 0 ? Number.POSITIVE_INFINITY : 2

/** The largest send buffer of a Unix socket by default (2 × net.core.wmem_max). It is memory of the kernel, not of a process. */
const maxSocketBufferBytes = 2 * 212_992

/** Returns a function that stops the watch. */
export function watchResources(
  firstProcess: number,
  { limits, disabledLayers }: Pick<BubblewrapOptions, 'limits' | 'disabledLayers'>,
  onMemoryExceeded: () => void,
): () => void {
  const priority = new SandboxPriority(limits.cpus)
  const maxMemoryBytes = disabledLayers.has('memory limit') ? Number.POSITIVE_INFINITY : limits.memoryBytes
  const timer = setInterval(() => {
    const processes = listProcesses(firstProcess)
    if (usedMemoryBytes(processes, firstProcess) > maxMemoryBytes) {
      clearInterval(timer)
      onMemoryExceeded()
    } else if (!disabledLayers.has('CPU priority')) priority.update(processes)
  }, checkIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

const usedMemoryBytes = (processes: readonly SandboxedProcess[], firstProcess: number): number =>
  processes.reduce((total, { memoryBytes }) => total + memoryBytes, 0) +
  socketCount(firstProcess) * maxSocketBufferBytes

/** Of the sandbox's network namespace, including sockets that are being passed between processes. */
function socketCount(firstProcess: number): number {
  try {
    return Number(/^sockets: used (\d+)/.exec(readFileSync(`/proc/${firstProcess}/net/sockstat`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0 // the sandbox has ended
  }
}

/**
 * Keeps a busy sandbox from slowing down the runner and other sandboxes. A kernel with autogroups (most desktops and servers, outside of
 * containers) gives each session an equal share, whatever the niceness of its processes, so sessions get a niceness as well.
 */
class SandboxPriority {
  readonly #maxCpuSeconds: number
  #niceness = sandboxNiceness
  #windowStart: { atMs: number; cpuSeconds: number } | undefined
  readonly #nicenessOfSessions = new Map<number, number>()

  constructor(cpus: number) {
    this.#maxCpuSeconds = (cpus * cpuWindowMs) / 1_000
  }

  update(processes: readonly SandboxedProcess[]): void {
    if (this.#niceness === sandboxNiceness && this.#exceedsShare(processes)) this.#niceness = demotedNiceness
    if (this.#niceness === demotedNiceness) for (const { threadIds } of processes) threadIds.forEach(demoteThread)
    this.#updateSessions(processes)
  }

  #exceedsShare(processes: readonly SandboxedProcess[]): boolean {
    const now = {
      atMs: performance.now(),
      cpuSeconds: processes.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0),
    }
    this.#windowStart ??= now
    if (now.atMs - this.#windowStart.atMs < cpuWindowMs) return false
    const usedSeconds = now.cpuSeconds - this.#windowStart.cpuSeconds
    this.#windowStart = now
    return usedSeconds > this.#maxCpuSeconds
  }

  #updateSessions(processes: readonly SandboxedProcess[]): void {
    const pending = Map.groupBy(processes, ({ sessionId }) => sessionId)
    for (const sessionId of this.#nicenessOfSessions.keys())
      if (!pending.has(sessionId)) this.#nicenessOfSessions.delete(sessionId)
    let changes = 0
    for (const [sessionId, [member]] of pending) {
      if (this.#nicenessOfSessions.get(sessionId) === this.#niceness) continue
      if (changes === autogroupChangesPerCheck) return
      changes += 1
      if (member && setAutogroupNiceness(member.pid, this.#niceness))
        this.#nicenessOfSessions.set(sessionId, this.#niceness)
    }
  }
}

function demoteThread(threadId: number): void {
  try {
    setPriority(threadId, demotedNiceness)
  } catch {
    // it exited in the meantime
  }
}

/** False: the kernel asks to try again later. */
function setAutogroupNiceness(pid: number, niceness: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(niceness))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EAGAIN' // without autogroups there is no such file, and nothing to do
  }
}
