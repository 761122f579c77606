/** Follows a job live: yields every event once and in order, and reconnects as often as needed. */
import { sleep, startAbortableTimer } from './abortable-timer.ts'
import { ColophonError } from './colophon-error.ts'
import type { JobEvent } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import { type ConnectionSettings, noResponse } from './request.ts'
import { buildRequestUrl } from './request-url.ts'
import { isTransient, retryDelayMs } from './retry.ts'

/** Options for following a job. */
export interface FollowOptions {
  /** Ends the iteration, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** The ID of an event; only later events are yielded. Omit it to get all events. */
  after?: string | undefined
  /** How long to reconnect without hearing from the server before it gives up. Defaults to 300; 0 means never to reconnect. */
  reconnectSeconds?: number | undefined
}

/** Ends when the job is no longer active. Throws a `ColophonError` if the server rejects the request. */
export type FollowJobCall = (projectId: string, id: string, options?: FollowOptions) => AsyncGenerator<JobEvent, void>

export const defaultReconnectSeconds = 300
/** The server sends a heartbeat every 15 seconds. */
const silenceTimeoutMs = 45_000

export const createFollowJobCall = (connection: ConnectionSettings): FollowJobCall =>
  async function* follow(projectId, id, { after, signal, reconnectSeconds = defaultReconnectSeconds } = {}) {
    const url = buildRequestUrl(connection.base, {
      url: '/v2/agent/{projectId}/job/{id}/events',
      path: { projectId, id },
    })
    let lastId = after
    let failures = 0
    let heardAtMs = Date.now()
    const onHeard = () => {
      heardAtMs = Date.now()
    }
    for (;;) {
      let failure: ColophonError
      try {
        for await (const { type, data } of readEvents(connection, url, { lastId, signal, onHeard })) {
          if (type === 'end') return
          const event = JSON.parse(data) as JobEvent
          failures = 0
          lastId = event.id
          yield event
        }
        failure = new ColophonError('no_response', `${url} ended before the job did.`)
      } catch (error) {
        signal?.throwIfAborted()
        if (!isTransient(error)) throw error
        failure = error
      }
      const delayMs = retryDelayMs(failures, failure)
      if (Date.now() + delayMs > heardAtMs + reconnectSeconds * 1000) throw failure
      failures++
      await sleep(delayMs, signal)
    }
  }

interface StreamOptions {
  lastId: string | undefined
  signal: AbortSignal | undefined
  /** Called whenever something arrives, also if it is only a heartbeat. */
  onHeard: () => void
}

/** The events of one connection, until it ends or is silent for too long. */
async function* readEvents(
  { headers, fetch }: ConnectionSettings,
  url: URL,
  { lastId, signal, onHeard }: StreamOptions,
): AsyncGenerator<{ type: string; data: string }> {
  const timer = startAbortableTimer(signal, silenceTimeoutMs)
  try {
    const response = await fetch(url, {
      headers: { ...headers, accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) },
      redirect: 'manual',
      signal: timer.signal,
    }).catch((error: unknown) => {
      throw noResponse(url, error)
    })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      const text = await response.text().catch((error: unknown) => {
        throw noResponse(url, error)
      })
      readResponse(url, response, text, { isExpectedBody: (_body): _body is never => false })
      return
    }
    // Not `for await` and not `TextDecoderStream`: some browsers and edge runtimes do not have them.
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let incomplete = ''
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw noResponse(url, error)
      })
      if (done) return
      timer.restart()
      onHeard()
      const blocks = (incomplete + decoder.decode(value, { stream: true })).split('\n\n')
      incomplete = blocks.pop() ?? ''
      for (const block of blocks) {
        const data = readField(block, 'data')
        if (data !== undefined) yield { type: readField(block, 'event') ?? 'message', data }
      }
    }
  } finally {
    timer.stop() // also closes the connection when the caller stops iterating early
  }
}

const readField = (block: string, name: string): string | undefined =>
  block
    .split('\n')
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)
