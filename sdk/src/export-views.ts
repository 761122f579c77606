import { download } from './download.ts'
import type { ExportViewsData } from './generated/types.gen.ts'
import type { CallOptions, ConnectionSettings } from './request.ts'

/** Throws a `ColophonError` if the server rejects the request. If the connection breaks later, reading the stream fails. */
export type ExportViewsCall = (
  projectId: string,
  query?: NonNullable<ExportViewsData['query']>,
  options?: Omit<CallOptions, 'timeoutSeconds'>,
) => Promise<ReadableStream<Uint8Array>>

export const createExportViewsCall =
  (connection: ConnectionSettings): ExportViewsCall =>
  (projectId, query = {}, options = {}) =>
    download(
      connection,
      { url: '/v1/analytics/{projectId}/views.csv', path: { projectId }, query },
      'text/csv',
      options,
    )
