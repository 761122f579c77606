/**
 * A share of the CPU for each process, as the containers of deploy/compose.yml have one. Without it, the threads of all processes
 * compete one by one, and a query with four threads gets four times as much as `api`, which has one.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { ManagedProcess } from '../services/managed-process.ts'
import { canCreateCgroup, startInCgroup } from './faults/cgroup.ts'

const setting = { controller: 'cpu', file: 'cpu.shares' } as const

/** Needs root and the cpu controller of cgroup v1. */
export const canSetCpuShares = (): boolean => canCreateCgroup(setting)

/** Applies until the process is restarted. Returns how to remove it. */
export async function setCpuShares(service: ManagedProcess, shares: number): Promise<() => Promise<void>> {
  const { stop } = await startInCgroup(service, 'cpu-shares', { ...setting, value: String(shares) })
  return stop
}

const composeFile = join(import.meta.dirname, '../../deploy/compose.yml')

/** Of each service in deploy/compose.yml. */
export function readDeploymentCpuShares(): Record<string, number> {
  const { services } = parse(readFileSync(composeFile, 'utf8'), { merge: true }) as {
    services: Record<string, { cpu_shares?: number }>
  }
  return Object.fromEntries(Object.entries(services).map(([name, { cpu_shares = 1024 }]) => [name, cpu_shares]))
}
