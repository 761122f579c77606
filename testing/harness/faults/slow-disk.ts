/**
 * A disk that does few writes per second, for one service: its processes are moved to a cgroup of their own, which is limited on
 * the device of the data directory. What a process writes and waits for, such as PostgreSQL's commits, takes long. What the kernel
 * writes later is not limited.
 *
 * For cgroup v1, which accounts buffered writes to the process that calls fsync. On cgroup v2 this is skipped.
 */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagedProcess } from '../../services/managed-process.ts'
import { canCreateCgroup, type ServiceCgroup, startInCgroup } from './cgroup.ts'

const limit = { controller: 'blkio', file: 'blkio.throttle.write_iops_device' } as const

/** Needs root and the blkio controller of cgroup v1, and a directory on a whole disk. */
export function canSlowDisk(directory: string): boolean {
  const device = `/sys/dev/block/${deviceNumber(directory)}`
  return canCreateCgroup(limit) && existsSync(device) && !existsSync(join(device, 'partition'))
}

/** Applies until the service is restarted. */
export const startSlowDisk = (
  service: ManagedProcess,
  { directory, writesPerSecond }: { directory: string; writesPerSecond: number },
): Promise<ServiceCgroup> =>
  startInCgroup(service, 'slow-disk', { ...limit, value: `${deviceNumber(directory)} ${writesPerSecond}` })

/** Of the device that the directory is on, as `major:minor`. */
function deviceNumber(directory: string): string {
  const { dev } = statSync(directory)
  return `${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
}
