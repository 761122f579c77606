/**
 * Drops all packets from and to one loopback address. Unlike behind a silent relay, nothing is acknowledged: TCP keepalives fail,
 * and kernels give up connections.
 *
 * Each simulated machine needs an address of its own, from 127.0.0.0/8: pass it as `localAddress` to a relay.
 */
import { execFileSync } from 'node:child_process'
import { findBinary } from '../../services/find-binary.ts'
import { ensureSystemPackage } from '../../services/system-package.ts'
import { isLeftover, isRoot, ownFaultName, removeAtExit } from './fault-owner.ts'

const kind = 'packet-loss'
const directories = ['/usr/sbin', '/sbin']

export interface PacketLoss {
  /** Packets pass again. Connections that no kernel has given up continue. */
  stop(): Promise<void>
}

/** Needs root, and a machine or container that may change its packet filter. */
export async function canDropPackets(): Promise<boolean> {
  if (process.platform !== 'linux' || !isRoot()) return false
  try {
    await ensureSystemPackage('iptables', () => findBinary('iptables', directories) !== undefined)
    iptables(['-S', 'INPUT'])
    return true
  } catch {
    return false
  }
}

export async function startPacketLoss(address: string): Promise<PacketLoss> {
  if (!address.startsWith('127.')) throw new Error(`${address} is not a loopback address.`)
  await ensureSystemPackage('iptables', () => findBinary('iptables', directories) !== undefined)
  removeLeftovers()
  const comment = ['-m', 'comment', '--comment', ownFaultName(kind)]
  // Only in INPUT: the sender of a packet that is dropped in OUTPUT gets an error.
  const rules = ['-s', '-d'].map((option) => ['INPUT', option, address, ...comment, '-j', 'DROP'])
  const remove = removeAtExit(() => {
    for (const rule of rules) iptables(['-D', ...rule])
  })
  for (const rule of rules) iptables(['-I', ...rule])
  return { stop: async () => remove() }
}

function removeLeftovers(): void {
  for (const rule of iptables(['-S', 'INPUT']).split('\n'))
    if (isLeftover(kind, rule)) iptables(['-D', ...rule.split(' ').slice(1)])
}

/** Synchronous, because rules are also removed while the process exits. `-w` waits for other programs that change rules. */
const iptables = (args: readonly string[]): string =>
  execFileSync(findBinary('iptables', directories) ?? 'iptables', ['-w', ...args], { encoding: 'utf8', stdio: 'pipe' })
