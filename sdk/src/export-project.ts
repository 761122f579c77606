import { download } from './download.ts'
import type { CallOptions, ConnectionSettings } from './request.ts'

/** Throws a `ColophonError` if the server rejects the request. If the connection breaks later, reading the stream fails. */
export type ExportProjectCall = (projectId: string, options?: CallOptions) => Promise<ReadableStream<Uint8Array>>

export const createExportProjectCall =
  (connection: ConnectionSettings): ExportProjectCall =>
  (projectId, options = {}) =>
    download(connection, { url: '/v2/projects/{projectId}/export', path: { projectId } }, 'application/gzip', options)
