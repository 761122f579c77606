import type { ProjectSetup } from '@colophon/sdk'
import { isAllDone } from './steps.ts'

const eagerMs = 2_000
const calmMs = 30_000
/** Whoever is at it for longer has gone to do something else, with the page left open. */
const eagerForMs = 10 * 60_000

/** Somebody who does the steps sees them tick; a page that is merely open asks now and then. */
export function askAgainAfterMs({
  setup,
  isOpen,
  openForMs,
}: {
  setup: ProjectSetup | undefined
  isOpen: boolean
  openForMs: number
}): number | false {
  if (setup && isAllDone(setup)) return false
  return isOpen && openForMs < eagerForMs ? eagerMs : calmMs
}
