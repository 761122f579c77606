/** Limits how many results are published at a time: each needs several git processes and a bundle in memory. */

/** Throws the signal's reason if it is aborted while the work waits. */
export type ConcurrencyLimit = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  let free = max
  const waiting: (() => void)[] = []

  return async (signal, work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted() // the lease was lost, or the turn cancelled, while it waited
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
