/**
 * Engines that run already are shared: `npm run services` tells where they are in a file of the checkout, and whoever needs
 * engines without killing them uses those, or starts a set of its own.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { containersServe, startContainers } from './start-containers.ts'
import { type ServiceAddresses, startServices } from './start-services.ts'

const directory = join(import.meta.dirname, '../.services')
const file = join(directory, 'running.json')

interface Announcement {
  pid: number
  addresses: ServiceAddresses
}

/** Returns what takes the announcement back. */
export function announceServices(addresses: ServiceAddresses): () => void {
  mkdirSync(directory, { recursive: true })
  const announcement: Announcement = { pid: process.pid, addresses }
  writeFileSync(file, JSON.stringify(announcement, null, 2), { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

export function findRunningServices(): ServiceAddresses | undefined {
  try {
    const { pid, addresses } = JSON.parse(readFileSync(file, 'utf8')) as Announcement
    process.kill(pid, 0) // throws where the announcer is gone and could not take its word back
    return addresses
  } catch {
    return undefined
  }
}

export interface SharedServices {
  addresses: ServiceAddresses
  /** Stops only what was started here. */
  release(): Promise<void>
}

export async function shareServices({
  say = () => {},
  onStop = () => {},
}: {
  say?: (line: string) => void
  /** Told before anything is started, so that an interrupted start can be cleaned up too. */
  onStop?: (stop: () => Promise<void>) => void
} = {}): Promise<SharedServices> {
  const running = findRunningServices()
  if (running) return { addresses: running, release: async () => {} }
  if (await containersServe()) {
    mkdirSync(directory, { recursive: true })
    const { addresses, stop } = await startContainers(directory, { say, onStop })
    return { addresses, release: stop }
  }
  const { addresses, stop } = await startServices({ say, onStop })
  return { addresses, release: stop }
}
