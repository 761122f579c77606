/**
 * Shares running services: `npm run services` writes their addresses to a file in the checkout. Programs that do not kill
 * services use those, or start their own.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canUseContainers, startContainers } from './start-containers.ts'
import { type ServiceAddresses, startServices } from './start-services.ts'

const directory = join(import.meta.dirname, '../../.services')
const file = join(directory, 'running.json')

interface Announcement {
  pid: number
  addresses: ServiceAddresses
}

/** Writes the addresses for other processes of this checkout. Returns a function that withdraws them. */
export function announceServices(addresses: ServiceAddresses): () => void {
  mkdirSync(directory, { recursive: true })
  const announcement: Announcement = { pid: process.pid, addresses }
  writeFileSync(file, JSON.stringify(announcement, null, 2), { mode: 0o600 })
  return () => rmSync(file, { force: true })
}

export function findRunningServices(): ServiceAddresses | undefined {
  try {
    const { pid, addresses } = JSON.parse(readFileSync(file, 'utf8')) as Announcement
    process.kill(pid, 0) // throws if the announcing process died without withdrawing the file
    return addresses
  } catch {
    return undefined
  }
}

export interface SharedServices {
  addresses: ServiceAddresses
  /** Stops the services if this call started them. */
  release(): Promise<void>
}

export async function findOrStartServices({
  log = () => {},
  onStop = () => {},
}: {
  log?: (line: string) => void
  /** Called before anything is started, so that an interrupted start can be cleaned up too. */
  onStop?: (stop: () => Promise<void>) => void
} = {}): Promise<SharedServices> {
  const running = findRunningServices()
  if (running) return { addresses: running, release: async () => {} }
  if (await canUseContainers()) {
    mkdirSync(directory, { recursive: true })
    const { addresses, stop } = await startContainers(directory, { log, onStop })
    return { addresses, release: stop }
  }
  const { addresses, stop } = await startServices({ log, onStop })
  return { addresses, release: stop }
}
