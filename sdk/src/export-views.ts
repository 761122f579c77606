import { ColophonError } from './colophon-error.ts'
import type { ExportViewsData } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import type { CallOptions, ConnectionSettings } from './request.ts'
import { buildRequestUrl } from './request-url.ts'

/** Throws a `ColophonError` if the server rejects the request. If the connection breaks later, reading the stream fails. */
export type ExportViewsCall = (
  projectId: string,
  query?: NonNullable<ExportViewsData['query']>,
  options?: CallOptions,
) => Promise<ReadableStream<Uint8Array>>

/** Has no timeout, because the duration depends on the size of the export. */
export const createExportViewsCall =
  ({ base, headers, fetch }: ConnectionSettings): ExportViewsCall =>
  async (projectId, query = {}, { signal } = {}) => {
    const url = buildRequestUrl(base, { url: '/v1/analytics/{projectId}/views.csv', path: { projectId }, query })
    let response: Response
    try {
      response = await fetch(url, { headers, redirect: 'manual', ...(signal && { signal }) })
    } catch (error) {
      signal?.throwIfAborted()
      throw new ColophonError('no_response', `No response from ${url}.`, { cause: error })
    }
    if (response.headers.get('content-type')?.startsWith('text/csv') && response.body) return response.body
    return readResponse(url, response, await response.text(), { isExpectedBody: (_body): _body is never => false })
  }
