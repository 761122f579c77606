/** Reads what the processes of a sandbox use. Every process in it is a descendant of its first process, even a daemonized one. */
import { readdirSync, readFileSync } from 'node:fs'

export interface SandboxedProcess {
  pid: number
  sessionId: number
  threadIds: readonly number[]
  /** Without files: pages of files are shared, and files on the sandbox's mounts have a size limit of their own. */
  memoryBytes: number
  /** Includes children that have exited. */
  cpuSeconds: number
}

const ticksPerSecond = 100 // USER_HZ, the same on all architectures

export function listProcesses(firstProcess: number): SandboxedProcess[] {
  const processes: SandboxedProcess[] = []
  const pending = [firstProcess]
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    try {
      const threadIds = readdirSync(`/proc/${pid}/task`).map(Number)
      processes.push({ pid, threadIds, memoryBytes: readMemoryBytes(pid), ...readScheduling(pid) })
      for (const threadId of threadIds) {
        const children = readFileSync(`/proc/${pid}/task/${threadId}/children`, 'utf8')
        pending.push(...children.split(' ').filter(Boolean).map(Number))
      }
    } catch {
      // the process exited in the meantime
    }
  }
  return processes
}

/** With page tables: a process can fill them by reading memory that it never wrote, which takes no pages. */
function readMemoryBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  let kilobytes = 0
  for (const [, value] of status.matchAll(/^(?:RssAnon|RssShmem|VmPTE):\s+(\d+) kB$/gm)) kilobytes += Number(value)
  return kilobytes * 1024
}

function readScheduling(pid: number): Pick<SandboxedProcess, 'sessionId' | 'cpuSeconds'> {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the name, which is in parentheses and may contain any character, the first field is the third of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (number: number) => Number(fields[number - 3])
  return { sessionId: field(6), cpuSeconds: (field(14) + field(15) + field(16) + field(17)) / ticksPerSecond }
}
