/**
 * Faults that change the machine carry the id of the process that injected them. They are removed when it exits, and, if it was
 * killed, by the next process that injects the same kind of fault.
 */
import { isAlive } from '../../services/is-alive.ts'

export const isRoot = (): boolean => process.getuid?.() === 0

/** The name of a fault of this process. Other text may follow it. */
export const ownFaultName = (kind: string): string => `colophon-${kind}-${process.pid}`

/** Whether the text has the name of a fault whose process does not exist anymore. */
export function isLeftover(kind: string, text: string): boolean {
  const pid = Number(new RegExp(`colophon-${kind}-(\\d+)`).exec(text)?.[1])
  return pid > 0 && !isAlive(pid)
}

const faultsToRemove = new Set<() => void>()

/** Returns a function that removes the fault now. It does so only once. */
export function removeAtExit(remove: () => void): () => void {
  if (faultsToRemove.size === 0) process.once('exit', removeAll)
  faultsToRemove.add(remove)
  return () => {
    if (faultsToRemove.delete(remove)) remove()
    if (faultsToRemove.size === 0) process.off('exit', removeAll)
  }
}

function removeAll(): void {
  for (const remove of faultsToRemove) remove()
}
