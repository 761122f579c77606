import type { ExportViewsData } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import { type CallOptions, type ConnectionSettings, noResponse } from './request.ts'
import { buildRequestUrl } from './request-url.ts'
import { toRetryLimits, withRetries } from './retry.ts'

/** Throws a `ColophonError` if the server rejects the request. If the connection breaks later, reading the stream fails. */
export type ExportViewsCall = (
  projectId: string,
  query?: NonNullable<ExportViewsData['query']>,
  options?: Omit<CallOptions, 'timeoutSeconds'>,
) => Promise<ReadableStream<Uint8Array>>

/** Has no timeout, because the duration depends on the size of the export. */
export const createExportViewsCall =
  ({ base, headers, fetch, retry: defaultRetry }: ConnectionSettings): ExportViewsCall =>
  async (projectId, query = {}, { signal, retry } = {}) => {
    const url = buildRequestUrl(base, { url: '/v1/analytics/{projectId}/views.csv', path: { projectId }, query })
    const attempt = async () => {
      let response: Response
      let text: string
      try {
        response = await fetch(url, { headers, redirect: 'manual', ...(signal && { signal }) })
        if (response.headers.get('content-type')?.startsWith('text/csv') && response.body) return response.body
        text = await response.text()
      } catch (error) {
        signal?.throwIfAborted()
        throw noResponse(url, error)
      }
      return readResponse(url, response, text, { isExpectedBody: (_body): _body is never => false })
    }
    return withRetries(attempt, toRetryLimits(retry, defaultRetry), signal)
  }
