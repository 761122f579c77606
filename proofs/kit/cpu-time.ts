/** How much a process worked, which says more than a clock does on a machine that others use too. */
import { readFileSync } from 'node:fs'
import { processTree } from '../../dev-services/process-tree.ts'

const ticksPerSecond = 100 // of Linux, whatever the kernel's own are

/** Of a process and all below it since they began, those that ended included. */
export async function cpuMilliseconds(root: number): Promise<number> {
  const ticks = (await processTree(root)).map(({ pid }) => ticksOf(pid))
  return (ticks.reduce((sum, each) => sum + each, 0) / ticksPerSecond) * 1000
}

function ticksOf(pid: number): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ') // a name may hold spaces
    return fields
      .split(' ')
      .slice(11, 15) // in user mode, in the kernel, and both of its ended children
      .reduce((sum, each) => sum + Number(each), 0)
  } catch {
    return 0 // ended between the list and the look
  }
}
