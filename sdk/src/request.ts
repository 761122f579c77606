/** Sends requests to the API. */
import { ColophonError } from './colophon-error.ts'
import { type ExpectedResponse, readResponse } from './read-response.ts'
import { buildRequestUrl, type RequestTarget } from './request-url.ts'

/** The server that a client calls, and how. */
export interface ConnectionSettings {
  /** Ends in a slash, because paths are resolved against it. */
  base: URL
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
  timeoutSeconds: number
}

export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined
}

export type RequestMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Call<ResponseBody> extends CallOptions, ExpectedResponse<ResponseBody>, RequestTarget {
  method: RequestMethod
  /** Sent as JSON. Undefined means no body. */
  body?: unknown
  headers?: Readonly<Record<string, string>> | undefined
}

export async function request<ResponseBody>(
  connection: ConnectionSettings,
  call: Call<ResponseBody>,
): Promise<ResponseBody> {
  const url = buildRequestUrl(connection.base, call)
  const timeout = AbortSignal.timeout(connection.timeoutSeconds * 1000)
  const init: RequestInit = {
    method: call.method,
    headers: {
      accept: 'application/json',
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
      ...connection.headers,
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    redirect: 'manual', // following would silently turn a POST into a GET on a redirect from http to https
    signal: call.signal ? AbortSignal.any([call.signal, timeout]) : timeout,
  }
  const { fetch } = connection // destructured, because a browser's fetch throws if `this` is not its window
  let response: Response
  let text: string
  try {
    response = await fetch(url, init)
    text = await response.text()
  } catch (error) {
    if (call.signal?.aborted) throw call.signal.reason
    if (timeout.aborted) {
      const detail = `No complete response from ${url} within ${connection.timeoutSeconds} seconds.`
      throw new ColophonError('timeout', detail, { cause: error })
    }
    throw new ColophonError('no_response', `No complete response from ${url}: ${failureReason(error)}.`, {
      cause: error,
    })
  }
  return readResponse(url, response, text, call)
}

/**
 * The message of Node's fetch is only "fetch failed". The reason is in the cause, and for a host name with several IP addresses
 * only in the cause's code.
 */
function failureReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  const { code } = cause as { code?: unknown }
  return cause.message || (typeof code === 'string' ? code : cause.name)
}
