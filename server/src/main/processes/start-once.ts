import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/log.ts'

const retryDelayMs = 5_000

/** Does the work once per start. Retries, because PostgreSQL may start later than this process. */
export function startOnce(work: () => Promise<void>, failureMessage: string, log: Log): { stop(): void } {
  const stopped = new AbortController()
  const attemptUntilDone = async () => {
    for (let attempts = 0; !stopped.signal.aborted; attempts++) {
      try {
        return await work()
      } catch (error) {
        if (attempts === 0) log.warn({ error: String(error) }, failureMessage)
        await sleep(retryDelayMs, undefined, { signal: stopped.signal }).catch(() => {})
      }
    }
  }
  void attemptUntilDone()
  return { stop: () => stopped.abort() }
}
