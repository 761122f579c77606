import { type Client, ColophonError, type Readiness } from '@colophon/sdk'

/** What was seen last. */
export type Seen =
  | { state: 'asking' }
  | { state: 'answered'; readiness: Readiness; at: Date }
  | { state: 'no_response'; detail: string; at: Date }

/** Asks now, and again so many seconds after each answer, until stopped. */
export function watchReadiness(client: Client, everySeconds: number, tell: (seen: Seen) => void): () => void {
  const stopped = new AbortController()
  let timer: ReturnType<typeof setTimeout>
  const look = async () => {
    const seen = await ask(client, stopped.signal)
    if (stopped.signal.aborted) return
    tell(seen)
    timer = setTimeout(look, everySeconds * 1000)
  }
  void look()
  return () => {
    stopped.abort()
    clearTimeout(timer)
  }
}

async function ask(client: Client, signal: AbortSignal): Promise<Seen> {
  try {
    return { state: 'answered', readiness: await client.readiness({ signal }), at: new Date() }
  } catch (error) {
    return {
      state: 'no_response',
      detail: error instanceof ColophonError ? error.detail : String(error),
      at: new Date(),
    }
  }
}
