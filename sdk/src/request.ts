/** Sends requests to the API. */
import { startAbortableTimer } from './abortable-timer.ts'
import { ColophonError } from './colophon-error.ts'
import { type ExpectedResponse, readResponse } from './read-response.ts'
import { buildRequestUrl, type RequestTarget } from './request-url.ts'
import { type RetryLimits, type RetryOptions, toRetryLimits, withRetries } from './retry.ts'

/** The server that a client calls, and how. */
export interface ConnectionSettings {
  /** Ends in a slash, because paths are resolved against it. */
  base: URL
  headers: Readonly<Record<string, string>>
  fetch: typeof globalThis.fetch
  timeoutSeconds: number
  retry: RetryLimits
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call and its retries at once. The call then throws the signal's reason. */
  signal?: AbortSignal | undefined
  /** The longest that one attempt may take. Defaults to the client's option. */
  timeoutSeconds?: number | undefined
  /** Limits of the retries of this call, or false for none. Defaults to the client's option. */
  retry?: RetryOptions | false | undefined
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
  }
  const attempt = async () => {
    const { response, text } = await fetchText(connection, url, init, call)
    return readResponse(url, response, text, call)
  }
  return isSafeToRepeat(call)
    ? withRetries(attempt, toRetryLimits(call.retry, connection.retry), call.signal)
    : attempt()
}

/** If the response is lost, nobody knows whether another write was carried out. */
const isSafeToRepeat = ({ method, headers }: Call<unknown>) =>
  method === 'GET' || headers?.['idempotency-key'] !== undefined

async function fetchText(
  { fetch, timeoutSeconds: defaultTimeoutSeconds }: ConnectionSettings, // destructured, because a browser's fetch throws if `this` is not its window
  url: URL,
  init: RequestInit,
  { signal, timeoutSeconds = defaultTimeoutSeconds }: CallOptions,
): Promise<{ response: Response; text: string }> {
  const timer = startAbortableTimer(signal, timeoutSeconds * 1000)
  try {
    const response = await fetch(url, { ...init, signal: timer.signal })
    return { response, text: await response.text() }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    if (timer.hasTimedOut()) {
      const detail = `No complete response from ${url} within ${timeoutSeconds} seconds.`
      throw new ColophonError('timeout', detail, { cause: error })
    }
    throw noResponse(url, error)
  } finally {
    timer.stop()
  }
}

export const noResponse = (url: URL, error: unknown): ColophonError =>
  new ColophonError('no_response', `No complete response from ${url}: ${failureReason(error)}.`, { cause: error })

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
