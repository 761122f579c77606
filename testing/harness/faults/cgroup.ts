/** A cgroup of its own for the processes of a service, in a controller of cgroup v1. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagedProcess } from '../../services/managed-process.ts'
import { processTree } from '../../services/process-tree.ts'
import { isLeftover, isRoot, ownFaultName, removeAtExit } from './fault-owner.ts'

export interface CgroupSetting {
  controller: 'blkio' | 'cpu'
  file: string
  value: string
}

export interface ServiceCgroup {
  stop(): Promise<void>
}

/** Needs root and the controller of cgroup v1. */
export const canCreateCgroup = ({ controller, file }: Omit<CgroupSetting, 'value'>): boolean =>
  process.platform === 'linux' && isRoot() && existsSync(join(hierarchyOf(controller), file))

let count = 0

/** Applies until the service is restarted. */
export async function startInCgroup(
  service: ManagedProcess,
  kind: string,
  { controller, file, value }: CgroupSetting,
): Promise<ServiceCgroup> {
  const hierarchy = hierarchyOf(controller)
  removeLeftovers(hierarchy, kind)
  if (service.pid === undefined) throw new Error(`${service.name} is not running.`)
  const group = join(hierarchy, `${ownFaultName(kind)}-${count++}`)
  mkdirSync(group)
  const remove = removeAtExit(() => removeGroup(group, hierarchy))
  writeFileSync(join(group, file), value)
  // The first process first: those that it starts from now on are in the group. Then those that it has started already.
  moveProcess(service.pid, group)
  for (const { pid } of await processTree(service.pid)) moveProcess(pid, group)
  return { stop: async () => remove() }
}

const hierarchyOf = (controller: CgroupSetting['controller']) => `/sys/fs/cgroup/${controller}`

function moveProcess(pid: number, group: string): void {
  try {
    writeFileSync(join(group, 'cgroup.procs'), String(pid))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error // it has ended in the meantime
  }
}

function removeLeftovers(hierarchy: string, kind: string): void {
  for (const name of readdirSync(hierarchy)) if (isLeftover(kind, name)) removeGroup(join(hierarchy, name), hierarchy)
}

/** A group can be removed only when it is empty, and a process may start another one while it is moved. */
function removeGroup(group: string, hierarchy: string): void {
  for (;;) {
    const pids = readFileSync(join(group, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
    if (pids.length === 0) break
    for (const pid of pids) moveProcess(Number(pid), hierarchy)
  }
  rmdirSync(group)
}
