/** Work that repeats until the process stops. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'
import { countMetric } from './metrics/metrics.ts'

export interface BackgroundTask {
  /** Waits for the current round. */
  stop(): Promise<void>
}

export interface BackgroundTaskOptions {
  /** A round that takes long should end early when the signal is aborted. */
  round(stopping: AbortSignal): Promise<void>
  /** Between the end of a round and the start of the next. */
  intervalMs: number
  /** The same, after a round that failed. Default: `intervalMs`. */
  retryIntervalMs?: number
  /** Logged as a warning when a round fails. */
  failureMessage: string
  log: Log
}

export function startBackgroundTask({
  round,
  intervalMs,
  retryIntervalMs = intervalMs,
  failureMessage,
  log,
}: BackgroundTaskOptions): BackgroundTask {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      let pauseMs = intervalMs
      try {
        await round(stopping.signal)
      } catch (error) {
        pauseMs = retryIntervalMs
        countMetric('colophon_background_failures_total', {})
        log.warn({ error: String(error) }, failureMessage)
      }
      await sleepUntilAborted(pauseMs, stopping.signal)
    }
  })()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** Runs steps that do not depend on each other, one after another. A step that fails is logged, and the others still run. */
export async function runSteps(steps: Readonly<Record<string, () => Promise<unknown>>>, log: Log): Promise<void> {
  for (const [step, run] of Object.entries(steps))
    await run().catch((error: unknown) => {
      countMetric('colophon_background_failures_total', {})
      log.warn({ step, error: String(error) }, 'a background step failed')
    })
}

/** Repeats a step that does up to `batchSize` at a time, until nothing is left, or for so long that other steps should have a turn. */
export async function repeatBatches(step: (batchSize: number) => Promise<number>, batchSize: number): Promise<number> {
  let done = 0
  for (let batch = 0; batch < maxBatches; batch++) {
    const inBatch = await step(batchSize)
    done += inBatch
    if (inBatch < batchSize) break
  }
  return done
}

const maxBatches = 20

/** Ends early, without an error, when the signal is aborted. */
export async function sleepUntilAborted(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}
