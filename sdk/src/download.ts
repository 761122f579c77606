import { readResponse } from './read-response.ts'
import { type CallOptions, type ConnectionSettings, noResponse } from './request.ts'
import { buildRequestUrl, type RequestTarget } from './request-url.ts'
import { toRetryLimits, withRetries } from './retry.ts'

/**
 * Returns the body as a stream. Throws a `ColophonError` if the server rejects the request; if the connection breaks later, reading the
 * stream fails. Has no timeout, because the duration depends on the size.
 */
export async function download(
  { base, headers, fetch, retry: defaultRetry }: ConnectionSettings,
  target: RequestTarget,
  contentType: string,
  { signal, retry }: Omit<CallOptions, 'timeoutSeconds'>,
): Promise<ReadableStream<Uint8Array>> {
  const url = buildRequestUrl(base, target)
  const attempt = async () => {
    let response: Response
    let text: string
    try {
      response = await fetch(url, { headers, redirect: 'manual', ...(signal && { signal }) })
      if (response.headers.get('content-type')?.startsWith(contentType) && response.body) return response.body
      text = await response.text()
    } catch (error) {
      signal?.throwIfAborted()
      throw noResponse(url, error)
    }
    return readResponse(url, response, text, { isExpectedBody: (_body): _body is never => false })
  }
  return withRetries(attempt, toRetryLimits(retry, defaultRetry), signal)
}
