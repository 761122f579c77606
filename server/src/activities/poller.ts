/** Polls code hosts for everything that is due. A slow code host does not delay other projects. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sleepUntilAborted } from '../platform/background-task.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'

export interface PollerLimits {
  maxConcurrent: number
  /** A poll that takes longer gives up its slot. */
  deadlineMs: number
  /** How long `stop` waits for polls in progress. */
  stopWithinMs: number
}

const intervalMs = 1_000

export const defaultPollerLimits: PollerLimits = { maxConcurrent: 50, deadlineMs: 120_000, stopWithinMs: 5_000 }

/** Runs one poll per project at a time, so a project uses one slot however much of it is due. */
export function startPoller<Due extends { projectId: Id<'prj'> }>({
  subject,
  claimDue,
  poll,
  log,
  limits: { maxConcurrent, deadlineMs, stopWithinMs } = defaultPollerLimits,
}: {
  subject: string
  /** Returns at most one item per project, and none of the busy projects. */
  claimDue(limit: number, busy: readonly Id<'prj'>[]): Promise<Due[]>
  /** Sends no further requests once the signal is aborted. */
  poll(due: Due, signal: AbortSignal): Promise<void>
  log: Log
  limits?: PollerLimits
}): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const polling = new Map<Id<'prj'>, Promise<void>>()

  const start = (due: Due) => {
    const { projectId } = due
    const deadline = new AbortController()
    const expired = new Promise<void>((resolve) => deadline.signal.addEventListener('abort', () => resolve()))
    const timer = setTimeout(() => deadline.abort(), deadlineMs)
    const work = poll(due, AbortSignal.any([deadline.signal, stopping.signal])).catch((error: unknown) =>
      log.warn({ projectId, error: String(error) }, `could not poll ${subject}`),
    )
    const ended = Promise.race([work, expired]).finally(() => {
      clearTimeout(timer)
      polling.delete(projectId)
    })
    polling.set(projectId, ended)
  }

  const running = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const free = maxConcurrent - polling.size
        if (free > 0) for (const due of await claimDue(free, [...polling.keys()])) start(due)
      } catch (error) {
        log.warn({ error: String(error) }, `could not claim due ${subject}`)
      }
      // When a poll has ended, the next one of its project can start.
      await Promise.race([sleepUntilAborted(intervalMs, stopping.signal), ...polling.values()])
    }
    await Promise.race([Promise.all(polling.values()), sleep(stopWithinMs, undefined, { ref: false })])
  })()

  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
