/**
 * A control group per box, where the runner may make one: the kernel then counts the memory and the processes of a turn as
 * one. Version 2 only. The runner needs a subtree of its own: under systemd `Delegate=yes`.
 */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BoxLimits } from './limits.ts'

export interface BoxGroups {
  create(limits: BoxLimits): BoxGroup
}

export interface BoxGroup {
  add(pid: number): void
  kill(): void
  remove(): Promise<void>
}

/** Undefined, with the reason, where there can be none. To be called once, before there is a box. */
export function openBoxGroups(): { groups: BoxGroups } | { groups: undefined; reason: string } {
  try {
    return { groups: groupsIn(ownGroup()) }
  } catch (error) {
    return { groups: undefined, reason: error instanceof Error ? error.message : String(error) }
  }
}

function ownGroup(): string {
  const path = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1]
  const mount = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .find((fields) => fields[fields.indexOf('-') + 1] === 'cgroup2')?.[4]
  if (path === undefined || mount === undefined) throw new Error('there are no control groups of version 2')
  return join(mount, path)
}

function groupsIn(parent: string): BoxGroups {
  const available = readFileSync(join(parent, 'cgroup.controllers'), 'utf8').trim().split(' ')
  const missing = ['memory', 'pids'].filter((controller) => !available.includes(controller))
  if (missing.length > 0) throw new Error(`the runner's control group cannot count: ${missing.join(', ')}`)
  // A group that hands controllers down may hold no processes itself: the runner moves into one below.
  mkdirSync(join(parent, 'runner'), { recursive: true })
  writeFileSync(join(parent, 'runner/cgroup.procs'), String(process.pid))
  writeFileSync(join(parent, 'cgroup.subtree_control'), '+memory +pids')
  for (const name of readdirSync(parent)) if (name.startsWith('box-')) removeIfEmpty(join(parent, name)) // of a runner that was killed
  let number = 0
  return { create: (limits) => createGroup(join(parent, `box-${process.pid}-${++number}`), limits) }
}

function createGroup(directory: string, limits: BoxLimits): BoxGroup {
  const write = (file: string, value: string) => writeFileSync(join(directory, file), value)
  mkdirSync(directory)
  write('memory.max', String(limits.memoryBytes))
  write('pids.max', String(limits.processes))
  try {
    write('memory.swap.max', '0')
  } catch {
    // a kernel without swap does not have it
  }
  return {
    add: (pid) => write('cgroup.procs', String(pid)),
    kill() {
      try {
        write('cgroup.kill', '1')
      } catch {
        // removed already; and before Linux 5.14 there is none, and the process namespace does it alone
      }
    },
    async remove() {
      for (let tries = 0; tries < 20 && !removeIfEmpty(directory); tries += 1) await sleep(50)
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
