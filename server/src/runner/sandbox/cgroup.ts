/**
 * A cgroup per sandbox, if the runner may create one: the kernel then limits the memory and the number of processes of a whole
 * turn, and divides the CPUs fairly among turns. Only cgroup v2. The runner needs its own subtree: with systemd, set `Delegate=yes`.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxLimits } from './limits.ts'

const controllers = ['cpu', 'memory', 'pids']
/** The maximum. A sandbox has the default, 100: even a hundred busy ones leave half of the CPUs to the runner. */
const runnerCpuWeight = 10_000

export interface SandboxCgroupFactory {
  create(limits: SandboxLimits): SandboxCgroup
}

export interface SandboxCgroup {
  add(pid: number): void
  kill(): void
  remove(): Promise<void>
}

/** Undefined, with the reason, if cgroups are not available. Call it once, before the first sandbox is opened. */
export function openSandboxCgroupFactory():
  | { cgroups: SandboxCgroupFactory; reason?: undefined }
  | { cgroups: undefined; reason: string } {
  try {
    return { cgroups: createGroups(ownCgroup()) }
  } catch (error) {
    return { cgroups: undefined, reason: error instanceof Error ? error.message : String(error) }
  }
}

function ownCgroup(): string {
  const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  const mount = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2')?.[4]
  if (path === undefined || mount === undefined) throw new Error('cgroup v2 is not mounted')
  return join(mount, path)
}

function createGroups(parent: string): SandboxCgroupFactory {
  const available = readFileSync(join(parent, 'cgroup.controllers'), 'utf8').trim().split(' ')
  const missing = controllers.filter((controller) => !available.includes(controller))
  if (missing.length > 0) throw new Error(`the runner's cgroup lacks the controllers: ${missing.join(', ')}`)
  // A cgroup that delegates controllers may not contain processes itself, so the runner moves into a child.
  mkdirSync(join(parent, 'runner'), { recursive: true })
  writeFileSync(join(parent, 'runner/cgroup.procs'), String(process.pid))
  writeFileSync(join(parent, 'cgroup.subtree_control'), controllers.map((controller) => `+${controller}`).join(' '))
  writeFileSync(join(parent, 'runner/cpu.weight'), String(runnerCpuWeight))
  // left behind by a runner that was killed
  for (const name of readdirSync(parent)) if (name.startsWith('sandbox-')) removeIfEmpty(join(parent, name))
  let number = 0
  return { create: (limits) => createGroup(join(parent, `sandbox-${process.pid}-${++number}`), limits) }
}

function createGroup(directory: string, limits: SandboxLimits): SandboxCgroup {
  const write = (file: string, value: string) => writeFileSync(join(directory, file), value)
  mkdirSync(directory)
  write('memory.max', String(limits.memoryBytes))
  write('pids.max', String(limits.processes))
  try {
    write('memory.swap.max', '0')
  } catch {
    // the file does not exist on a kernel without swap
  }
  return {
    add: (pid) => write('cgroup.procs', String(pid)),
    kill() {
      try {
        write('cgroup.kill', '1')
      } catch {
        // Already removed, or Linux before 5.14, which lacks the file: then the PID namespace alone ends the processes.
      }
    },
    async remove() {
      for (let attempt = 0; attempt < 20 && !removeIfEmpty(directory); attempt += 1) await sleep(50)
    },
  }
}

function removeIfEmpty(directory: string): boolean {
  try {
    rmdirSync(directory)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
