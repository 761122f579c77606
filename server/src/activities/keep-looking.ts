/** Looks at code hosts: whatever is due, over and over. A host that takes its time keeps no other project waiting. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

export interface LookLimits {
  maxConcurrent: number
  /** After which a look gives up its place, whatever it waits for. */
  deadlineMs: number
  /** For looks that are under way when it is told to stop. */
  stopWithinMs: number
}

const lookEveryMs = 1_000

export const usualLimits: LookLimits = { maxConcurrent: 50, deadlineMs: 120_000, stopWithinMs: 5_000 }

/** A project is looked at by one look at a time: however much of it is due, it takes one place. */
export function keepLooking<Due extends { projectId: Id<'prj'> }>({
  what,
  takeDue,
  look,
  log,
  limits: { maxConcurrent, deadlineMs, stopWithinMs } = usualLimits,
}: {
  what: string
  /** Not of the busy projects, and of each other one at most one. */
  takeDue(limit: number, busy: readonly Id<'prj'>[]): Promise<Due[]>
  /** Asks nothing more once the signal is aborted. */
  look(due: Due, signal: AbortSignal): Promise<void>
  log: Log
  limits?: LookLimits
}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const looking = new Map<Id<'prj'>, Promise<void>>()

  const begin = (due: Due) => {
    const { projectId } = due
    const over = new AbortController()
    const overdue = new Promise<void>((resolve) => over.signal.addEventListener('abort', () => resolve()))
    const timer = setTimeout(() => over.abort(), deadlineMs)
    const work = look(due, AbortSignal.any([over.signal, stopping.signal])).catch((error: unknown) =>
      log.warn({ projectId, error: String(error) }, `could not look at ${what}`),
    )
    const ended = Promise.race([work, overdue]).finally(() => {
      clearTimeout(timer)
      looking.delete(projectId)
    })
    looking.set(projectId, ended)
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const room = maxConcurrent - looking.size
        if (room > 0) for (const due of await takeDue(room, [...looking.keys()])) begin(due)
      } catch (error) {
        log.warn({ error: String(error) }, `could not look for due ${what}`)
      }
      // One that has ended makes room for the next of its project.
      const pause = sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
      await Promise.race([pause, ...looking.values()])
    }
    await Promise.race([Promise.all(looking.values()), sleep(stopWithinMs, undefined, { ref: false })])
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
