/**
 * Where no control group counts a box's memory, the runner does: twice a second, over all its processes. Every process in
 * the box is a descendant of its first, also one that turned its back on its parents.
 */
import { readdirSync, readFileSync } from 'node:fs'

const everyMs = 500

/** Returns what stops it. */
export function watchMemory(firstProcess: number, maxBytes: number, onTooMuch: () => void): () => void {
  const timer = setInterval(() => {
    if (usedBytes(firstProcess) <= maxBytes) return
    clearInterval(timer)
    onTooMuch()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

function usedBytes(firstProcess: number): number {
  let total = 0
  const open = [firstProcess]
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8')
      // Pages of files belong to nobody in particular, and what is written to the box's mounts has a size already.
      for (const [, kilobytes] of status.matchAll(/^(?:RssAnon|RssShmem):\s+(\d+) kB$/gm))
        total += Number(kilobytes) * 1024
      for (const thread of readdirSync(`/proc/${pid}/task`)) {
        const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
        open.push(...children.split(' ').filter(Boolean).map(Number))
      }
    } catch {
      // it ended while we looked
    }
  }
  return total
}
