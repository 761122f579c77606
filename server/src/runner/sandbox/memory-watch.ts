/**
 * Enforces the memory limit of a sandbox that has no cgroup: twice a second, the runner adds up the memory of all its processes.
 * Every process in the sandbox is a descendant of its first process, even a daemonized one.
 */
import { readdirSync, readFileSync } from 'node:fs'

const checkIntervalMs = 500

/** Returns a function that stops the watch. */
export function watchMemory(firstProcess: number, maxBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    if (usedBytes(firstProcess) <= maxBytes) return
    clearInterval(timer)
    onExceeded()
  }, checkIntervalMs)
  timer.unref()
  return () => clearInterval(timer)
}

function usedBytes(firstProcess: number): number {
  let total = 0
  const pending = [firstProcess]
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      // File-backed pages are shared, and files on the sandbox's mounts already have a size limit.
      for (const [, kilobytes] of status.matchAll(/^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm))
        total += Number(kilobytes) * 1024
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        pending.push(...children.split(' ').filter(Boolean).map(Number))
      }
    } catch {
      // the process exited in the meantime
    }
  }
  return total
}
