import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { EmbeddedClickhouse, QueryResult } from './embedded-clickhouse.ts'
import { ClickHouseException } from './exception.ts'
import { readQuery } from './query.ts'

type HttpResponse = { status: number; headers?: OutgoingHttpHeaders; body: string | Uint8Array; gzip?: boolean }

/** Never rejects: a client that disconnected is not an error of the server. */
export async function handleRequest(
  clickhouse: EmbeddedClickhouse,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await send(response, await runRequest(clickhouse, request))
  } catch {
    response.destroy()
  }
}

async function runRequest(clickhouse: EmbeddedClickhouse, request: IncomingMessage): Promise<HttpResponse> {
  const address = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (address.pathname === '/ping') return { status: 200, body: 'Ok.\n' }
  if (address.pathname !== '/') return { status: 404, body: `There is no handle ${address.pathname}\n` }

  const queryId = { 'x-clickhouse-query-id': address.searchParams.get('query_id') || randomUUID() }
  try {
    const query = await readQuery(request, address)
    const result = await clickhouse.run(query)
    const summary = JSON.stringify(summaryOf(result, query.format))
    return {
      status: 200,
      headers: { ...queryId, 'x-clickhouse-format': query.format, 'x-clickhouse-summary': summary },
      body: result.body,
      gzip: query.settings.enable_http_compression === '1' && /\bgzip\b/.test(`${request.headers['accept-encoding']}`),
    }
  } catch (error) {
    const { code, httpStatus, message } = ClickHouseException.from(error)
    return { status: httpStatus, headers: { ...queryId, 'x-clickhouse-exception-code': code }, body: `${message}\n` }
  }
}

async function send(response: ServerResponse, { status, headers, body, gzip }: HttpResponse): Promise<void> {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=UTF-8',
    ...headers,
    ...(gzip && { 'content-encoding': 'gzip' }),
  })
  if (gzip) return pipeline(Readable.from([body]), createGzip(), response)
  response.end(body)
  await finished(response) // a stop waits until responses are sent
}

/**
 * The server's `X-ClickHouse-Summary`, without the numbers that chdb does not report: a missing number fails a check, a zero
 * would pass it. Rows read from storage are known only in formats that end with statistics, such as JSON.
 */
function summaryOf(result: QueryResult, format: string): Record<string, string> {
  const { body, elapsedSeconds, counted, rows, bytes } = result
  const summary: Record<string, string> = {
    elapsed_ns: `${Math.round(elapsedSeconds * 1e9)}`,
    [`${counted}_rows`]: `${rows}`,
    [`${counted}_bytes`]: `${bytes}`,
  }
  if (formatsWithStatistics.has(format)) {
    const tail = Buffer.from(body.subarray(-200)).toString()
    const [, readRows, readBytes] = /"rows_read": *(\d+),\s*"bytes_read": *(\d+)\s*\}\s*\}\s*$/.exec(tail) ?? []
    if (readRows && readBytes) Object.assign(summary, { read_rows: readRows, read_bytes: readBytes })
  }
  return summary
}

const formatsWithStatistics = new Set(['JSON', 'JSONStrings', 'JSONCompact', 'JSONCompactStrings'])
