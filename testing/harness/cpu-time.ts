/** CPU time of processes. On a shared machine it says more than wall-clock time. */
import { readFileSync } from 'node:fs'
import { processTree } from '../services/process-tree.ts'

const ticksPerSecond = 100 // USER_HZ on Linux, whatever frequency the kernel itself uses

/** The CPU time of a process and all its descendants since they started, including those that have ended. */
export async function cpuMilliseconds(root: number): Promise<number> {
  const ticks = (await processTree(root)).map(({ pid }) => ticksOf(pid))
  return (ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond) * 1000
}

function ticksOf(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ') // the process name may contain spaces
    return fields
      .split(' ')
      .slice(11, 15) // user and system time, of the process and of its ended children
      .reduce((sum, each) => sum + Number(each), 0)
  } catch {
    return 0 // the process ended after it was listed
  }
}
