/** Each publishing is a handful of git processes and a bundle in memory; results that arrive together wait for each other. */
import type { PublishResult } from './job-activities.ts'

export function publishFewAtOnce(publish: PublishResult, most: number): PublishResult {
  let free = most
  const waiting: (() => void)[] = []

  return async (turn, signal) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted() // taken over or cancelled while it waited
      return await publish(turn, signal)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
