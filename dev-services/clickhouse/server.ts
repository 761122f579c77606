/**
 * ClickHouse for development and tests: the database as a library (chdb), behind the part of the server's HTTP interface that
 * `@clickhouse/client` and this project use. No package registry has a current server.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { rejectionReason } from './access-check.ts'
import { EmbeddedClickhouse } from './embedded-clickhouse.ts'
import { handleRequest } from './handle-request.ts'

const usage =
  'node dev-services/clickhouse/server.ts --chdb <directory with node_modules/chdb> --data <directory> --port <port>'
const maxUriBytes = 1024 * 1024 // the server's limit: statements and parameters are in the URL
const drainMs = 500
const killIntervalMs = 50

// A running query occupies a thread of libuv's pool, which has four unless set before its first use. /ping needs none.
process.env.UV_THREADPOOL_SIZE = '64'

const { chdb, data, port } = readArguments()
const clickhouse = openClickhouse()
const pendingRequests = new Set<Promise<void>>()
const password = process.env.COLOPHON_DEV_CLICKHOUSE_PASSWORD ?? '' // not an argument: every process list shows those
const server = createServer({ maxHeaderSize: maxUriBytes }, (request, response) => {
  const reason = rejectionReason(request, password)
  if (reason !== undefined) {
    response.writeHead(403, { 'content-type': 'text/plain', 'x-clickhouse-exception-code': '516' }).end(`${reason}\n`)
    return
  }
  const handled = handleRequest(clickhouse, request, response).finally(() => pendingRequests.delete(handled))
  pendingRequests.add(handled)
})
server.listen(port, '127.0.0.1')
await once(server, 'listening').catch((error: Error) => exit(1, error.message))
console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
server.close()
await waitUntilDrained(drainMs)
// Repeated, because a query that waited for a thread starts only after another was killed.
for (let kills = 0; kills < 10 && pendingRequests.size > 0; kills++) {
  clickhouse.killQueries()
  await waitUntilDrained(killIntervalMs)
}
clickhouse.close()
process.exit(0)

async function waitUntilDrained(milliseconds: number): Promise<void> {
  await Promise.race([Promise.all(pendingRequests), sleep(milliseconds)])
}

function readArguments(): { chdb: string; data: string; port: number } {
  const option = { type: 'string' } as const
  try {
    const { chdb, data, port } = parseArgs({ options: { chdb: option, data: option, port: option } }).values
    if (chdb && data && port && /^\d+$/.test(port) && Number(port) < 65_536) return { chdb, data, port: Number(port) }
  } catch {}
  return exit(2, `Usage: ${usage}`)
}

function openClickhouse(): EmbeddedClickhouse {
  try {
    return new EmbeddedClickhouse(chdb, data)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
    return isMissing
      ? exit(2, `There is no chdb in ${chdb}. Install it: npm install --prefix ${chdb} chdb@3.4.0`)
      : exit(1, `Cannot open ${data}: ${error}`)
  }
}

function exit(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
