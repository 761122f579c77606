/** Calls that arrive while one is in progress share its result. */
export function singleFlight<Result>(call: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined
  return () => {
    pending ??= call().finally(() => {
      pending = undefined
    })
    return pending
  }
}
