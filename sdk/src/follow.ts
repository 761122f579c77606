/** Follows a job live: every event once and in order, over as many connections as that takes. */
import { addressOf } from './address.ts'
import { ColophonError } from './colophon-error.ts'
import type { JobEvent } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import type { CallOptions, Connection } from './request.ts'

export interface FollowOptions extends CallOptions {
  /** An event's id: what comes behind it is wanted. Without it everything is. */
  after?: string
}

/** Ends when the job is no longer active. Throws `ColophonError` when following it is refused. */
export type Follow = (projectId: string, id: string, options?: FollowOptions) => AsyncGenerator<JobEvent, void>

/** The server shows a sign of life every 15 seconds. */
const silenceMs = 45_000
const pausesMs = [500, 1_000, 2_000, 5_000, 15_000]

export const followOver = (connection: Connection): Follow =>
  async function* follow(projectId, id, { after, signal } = {}) {
    let lastId = after
    for (let failures = 0; ; failures++) {
      try {
        for await (const { type, data } of sentEvents(connection, { projectId, id }, lastId, signal)) {
          if (type === 'end') return
          const event = JSON.parse(data) as JobEvent
          failures = 0
          lastId = event.id
          yield event
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof ColophonError && !isPassing(error)) throw error
      }
      await pause(pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0, signal)
    }
  }

const isPassing = ({ status }: ColophonError) => status === undefined || status === 429 || status >= 500

/** Of one connection, until it ends or nothing comes any more. */
async function* sentEvents(
  { base, headers, fetch }: Connection,
  path: { projectId: string; id: string },
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ type: string; data: string }> {
  const url = addressOf(base, { url: '/v2/agent/{projectId}/job/{id}/events', path })
  const silence = new AbortController()
  const untilSilent = () => setTimeout(() => silence.abort(), silenceMs)
  let timer = untilSilent()
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      readResponse(url, response, await response.text(), { isResponse: (_answer): _answer is never => false })
      return
    }
    let unread = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = untilSilent()
      const blocks = (unread + text).split('\n\n')
      unread = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = fieldOf(block, 'data')
        if (data !== undefined) yield { type: fieldOf(block, 'event') ?? 'message', data }
      }
    }
  } finally {
    clearTimeout(timer)
    silence.abort() // whoever stops reading in the middle closes the connection
  }
}

const fieldOf = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
