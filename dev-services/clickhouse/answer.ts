import { randomUUID } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Engine, Outcome } from './chdb.ts'
import { ClickHouseException } from './exception.ts'
import { readQuery } from './query.ts'

type Reply = { status: number; headers?: OutgoingHttpHeaders; body: string | Uint8Array; gzip?: boolean }

/** Never rejects: a caller that went away is no fault of the server. */
export async function answer(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    await send(response, await replyTo(engine, request))
  } catch {
    response.destroy()
  }
}

async function replyTo(engine: Engine, request: IncomingMessage): Promise<Reply> {
  const address = new URL(request.url ?? '/', 'http://127.0.0.1')
  if (address.pathname === '/ping') return { status: 200, body: 'Ok.\n' }
  if (address.pathname !== '/') return { status: 404, body: `There is no handle ${address.pathname}\n` }

  const queryId = { 'x-clickhouse-query-id': address.searchParams.get('query_id') || randomUUID() }
  try {
    const query = await readQuery(request, address)
    const outcome = await engine.run(query)
    const summary = JSON.stringify(summaryOf(outcome, query.format))
    return {
      status: 200,
      headers: { ...queryId, 'x-clickhouse-format': query.format, 'x-clickhouse-summary': summary },
      body: outcome.body,
      gzip: query.settings.enable_http_compression === '1' && /\bgzip\b/.test(`${request.headers['accept-encoding']}`),
    }
  } catch (error) {
    const { code, httpStatus, message } = ClickHouseException.from(error)
    return { status: httpStatus, headers: { ...queryId, 'x-clickhouse-exception-code': code }, body: `${message}\n` }
  }
}

async function send(response: ServerResponse, { status, headers, body, gzip }: Reply): Promise<void> {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=UTF-8',
    ...headers,
    ...(gzip && { 'content-encoding': 'gzip' }),
  })
  if (gzip) return pipeline(Readable.from([body]), createGzip(), response)
  response.end(body)
  await finished(response) // a stop waits for answers to be out
}

/**
 * The server's `X-ClickHouse-Summary`, without what is not known: a missing number fails a check, a zero would pass it.
 * Rows read from storage are known only in the formats that end with statistics, so ask in JSON to count them.
 */
function summaryOf(outcome: Outcome, format: string): Record<string, string> {
  const { body, elapsedSeconds, counted, rows, bytes } = outcome
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
