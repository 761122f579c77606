/**
 * A disk that does few writes per second, for one service: its processes are moved to a cgroup of their own, which is limited on
 * the device of the data directory. What a process writes and waits for, such as PostgreSQL's commits, takes long. What the kernel
 * writes later is not limited.
 *
 * For cgroup v1, which accounts buffered writes to the process that calls fsync. On cgroup v2 this is skipped.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagedProcess } from '../../services/managed-process.ts'
import { processTree } from '../../services/process-tree.ts'
import { isLeftover, isRoot, ownFaultName, removeAtExit } from './fault-owner.ts'

const kind = 'slow-disk'
const hierarchy = '/sys/fs/cgroup/blkio'
const limitFile = 'blkio.throttle.write_iops_device'

export interface SlowDisk {
  stop(): Promise<void>
}

/** Needs root and the blkio controller of cgroup v1, and a directory on a whole disk. */
export function canSlowDisk(directory: string): boolean {
  if (process.platform !== 'linux' || !isRoot()) return false
  const device = `/sys/dev/block/${deviceNumber(directory)}`
  return existsSync(join(hierarchy, limitFile)) && existsSync(device) && !existsSync(join(device, 'partition'))
}

let count = 0

/** Applies until the service is restarted. */
export async function startSlowDisk(
  service: ManagedProcess,
  { directory, writesPerSecond }: { directory: string; writesPerSecond: number },
): Promise<SlowDisk> {
  removeLeftovers()
  if (service.pid === undefined) throw new Error(`${service.name} is not running.`)
  const group = join(hierarchy, `${ownFaultName(kind)}-${count++}`)
  mkdirSync(group)
  const remove = removeAtExit(() => removeGroup(group))
  writeFileSync(join(group, limitFile), `${deviceNumber(directory)} ${writesPerSecond}`)
  // The first process first: those that it starts from now on are in the group. Then those that it has started already.
  moveProcess(service.pid, group)
  for (const { pid } of await processTree(service.pid)) moveProcess(pid, group)
  return { stop: async () => remove() }
}

/** Of the device that the directory is on, as `major:minor`. */
function deviceNumber(directory: string): string {
  const { dev } = statSync(directory)
  return `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
}

function moveProcess(pid: number, group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has ended in the meantime
  }
}

function removeLeftovers(): void {
  for (const name of readdirSync(hierarchy)) if (isLeftover(kind, name)) removeGroup(join(hierarchy, name))
}

/** A group can be removed only when it is empty, and a process may start another one while it is moved. */
function removeGroup(group: string): void {
  for (;;) {
    const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
    if (pids.length === 0) break
    for (const pid of pids) moveProcess(Number(pid), hierarchy)
  }
  rmdirSync(group)
}
