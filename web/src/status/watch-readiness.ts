import { type Client, ColophonError, type Readiness } from '@colophon/sdk'

/** The result of the latest poll. */
export type ReadinessPollState =
  | { state: 'loading' }
  | { state: 'loaded'; readiness: Readiness; at: Date }
  | { state: 'unreachable'; detail: string; at: Date }

/** Polls now, and again `intervalSeconds` after each response, until it is stopped. */
export function watchReadiness(
  client: Client,
  intervalSeconds: number,
  onChange: (state: ReadinessPollState) => void,
): () => void {
  const stopped = new AbortController()
  let timer: ReturnType<typeof setTimeout>
  const poll = async () => {
    const state = await fetchReadiness(client, stopped.signal)
    if (stopped.signal.aborted) return
    onChange(state)
    timer = setTimeout(poll, intervalSeconds * 1000)
  }
  void poll()
  return () => {
    stopped.abort()
    clearTimeout(timer)
  }
}

async function fetchReadiness(client: Client, signal: AbortSignal): Promise<ReadinessPollState> {
  try {
    return { state: 'loaded', readiness: await client.readiness({ signal }), at: new Date() }
  } catch (error) {
    return {
      state: 'unreachable',
      detail: error instanceof ColophonError ? error.detail : String(error),
      at: new Date(),
    }
  }
}
