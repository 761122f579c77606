/** Follows a job live: yields every event once and in order, and reconnects as often as needed. */
import { ColophonError } from './colophon-error.ts'
import type { JobEvent } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import type { CallOptions, ConnectionSettings } from './request.ts'
import { buildRequestUrl } from './request-url.ts'

export interface FollowOptions extends CallOptions {
  /** The ID of an event; only later events are yielded. Omit it to get all events. */
  after?: string
}

/** Ends when the job is no longer active. Throws a `ColophonError` if the server rejects the request. */
export type FollowJobCall = (projectId: string, id: string, options?: FollowOptions) => AsyncGenerator<JobEvent, void>

/** The server sends a heartbeat every 15 seconds. */
const silenceTimeoutMs = 45_000
const backoffMs = [500, 1_000, 2_000, 5_000, 15_000]

export const createFollowJobCall = (connection: ConnectionSettings): FollowJobCall =>
  async function* follow(projectId, id, { after, signal } = {}) {
    let lastId = after
    for (let failures = 0; ; failures++) {
      try {
        for await (const { type, data } of readEvents(connection, { projectId, id }, lastId, signal)) {
          if (type === 'end') return
          const event = JSON.parse(data) as JobEvent
          failures = 0
          lastId = event.id
          yield event
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof ColophonError && !isTransient(error)) throw error
      }
      await sleep(backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 0, signal)
    }
  }

const isTransient = ({ status }: ColophonError) => status === undefined || status === 429 || status >= 500

/** The events of one connection, until it ends or is silent for too long. */
async function* readEvents(
  { base, headers, fetch }: ConnectionSettings,
  path: { projectId: string; id: string },
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<{ type: string; data: string }> {
  const url = buildRequestUrl(base, { url: '/v2/agent/{projectId}/job/{id}/events', path })
  const silence = new AbortController()
  const startSilenceTimer = () => setTimeout(() => silence.abort(), silenceTimeoutMs)
  let timer = startSilenceTimer()
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      readResponse(url, response, await response.text(), { isExpectedBody: (_body): _body is never => false })
      return
    }
    let incomplete = ''
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = startSilenceTimer()
      const blocks = (incomplete + text).split('\n\n')
      incomplete = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = readField(block, 'data')
        if (data !== undefined) yield { type: readField(block, 'event') ?? 'message', data }
      }
    }
  } finally {
    clearTimeout(timer)
    silence.abort() // closes the connection when the caller stops iterating early
  }
}

const readField = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
