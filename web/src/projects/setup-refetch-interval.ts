import type { ProjectSetup } from '@colophon/sdk'
import { isSetupComplete } from './setup-steps.ts'

const activeIntervalMs = 2_000
const idleIntervalMs = 30_000
/** After this time, we assume that the page was left open and no one is working on the steps. */
const maxActiveMs = 10 * 60_000

/** How often to refetch the setup: often while someone may be working on the steps, rarely otherwise, never when it is complete. */
export function setupRefetchIntervalMs({
  setup,
  isOpen,
  openForMs,
}: {
  setup: ProjectSetup | undefined
  isOpen: boolean
  openForMs: number
}): number | false {
  if (setup && isSetupComplete(setup)) return false
  return isOpen && openForMs < maxActiveMs ? activeIntervalMs : idleIntervalMs
}
