/** Each publishing is a handful of git processes and a bundle in memory; results that arrive together wait for each other. */

/** Throws the signal's reason when it was aborted while the work waited. */
export type InTurn = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>

export function fewAtOnce(most: number): InTurn {
  let free = most
  const waiting: (() => void)[] = []

  return async (signal, work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      signal.throwIfAborted() // taken over or cancelled while it waited
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}
