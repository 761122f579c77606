/** The one place where a request leaves. */
import { addressOf, type Target } from './address.ts'
import { ColophonError } from './colophon-error.ts'
import { type Expected, readResponse } from './read-response.ts'

/** Where and how a client calls. */
export interface Connection {
  /** Ends in a slash: paths are added to it. */
  base: URL
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
  timeoutSeconds: number
}

export interface CallOptions {
  /** Gives the call up; it then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Call<Answer> extends CallOptions, Expected<Answer>, Target {
  method: Method
  /** Sent as JSON; undefined: no body. */
  body?: unknown
  headers?: Readonly<Record<string, string>> | undefined
}

export async function request<Answer>(connection: Connection, call: Call<Answer>): Promise<Answer> {
  const url = addressOf(connection.base, call)
  const deadline = AbortSignal.timeout(connection.timeoutSeconds * 1000)
  const init: RequestInit = {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
      ...connection.headers,
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    redirect: 'manual', // following would quietly turn a POST into a GET on its way from http to https
    signal: call.signal ? AbortSignal.any([call.signal, deadline]) : deadline,
  }
  const { fetch } = connection // called bare: a browser's fetch refuses any `this` but its window
  let response: Response
  let text: string
  try {
    response = await fetch(url, init)
    text = await response.text()
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason
    if (deadline.aborted) {
      const detail = `No whole answer from ${url} within ${connection.timeoutSeconds} seconds.`
      throw new ColophonError('timeout', detail, { cause: error })
    }
    throw new ColophonError('no_response', `No whole answer from ${url}: ${reasonOf(error)}.`, { cause: error })
  }
  return readResponse(url, response, text, call)
}

/** Node's fetch says only "fetch failed": why is in the cause, and for a name with several addresses only in its code. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const { code } = cause as { code?: unknown }
  return cause.message || (typeof code === 'string' ? code : cause.name)
}
