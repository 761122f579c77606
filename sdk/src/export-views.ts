import { addressOf } from './address.ts'
import { ColophonError } from './colophon-error.ts'
import type { ExportViewsData } from './generated/types.gen.ts'
import { readResponse } from './read-response.ts'
import type { CallOptions, Connection } from './request.ts'

/** Throws `ColophonError` when it is refused; what breaks off later fails the reading. */
export type ExportViews = (
  projectId: string,
  query?: NonNullable<ExportViewsData['query']>,
  options?: CallOptions,
) => Promise<ReadableStream<Uint8Array>>

/** No deadline: it takes as long as there is to read. */
export const exportViewsOver =
  ({ base, headers, fetch }: Connection): ExportViews =>
  async (projectId, query = {}, { signal } = {}) => {
    const url = addressOf(base, { url: '/v1/analytics/{projectId}/views.csv', path: { projectId }, query })
    let response: Response
    try {
      response = await fetch(url, { headers, redirect: 'manual', ...(signal && { signal }) })
    } catch (error) {
      signal?.throwIfAborted()
      throw new ColophonError('no_response', `No answer from ${url}.`, { cause: error })
    }
    if (response.headers.get('content-type')?.startsWith('text/csv') && response.body) return response.body
    return readResponse(url, response, await response.text(), { isResponse: (_answer): _answer is never => false })
  }
