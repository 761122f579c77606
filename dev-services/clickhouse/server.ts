/**
 * ClickHouse for development and tests: the engine as a library (chdb) behind as much of the server's HTTP interface as
 * `@clickhouse/client` and this project use. No package registry has a current server.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { refusalOf } from './admit.ts'
import { answer } from './answer.ts'
import { Engine } from './chdb.ts'

const usage =
  'node dev-services/clickhouse/server.ts --chdb <directory with node_modules/chdb> --data <directory> --port <port>'
const uriLimitBytes = 1024 * 1024 // the server's own: statements and parameters come in the address
const drainMilliseconds = 500
const killMilliseconds = 50

// A running query holds a thread of libuv's pool, which has four unless told before its first use. /ping needs none.
process.env.UV_THREADPOOL_SIZE = '64'

const { chdb, data, port } = readArguments()
const engine = openEngine()
const unanswered = new Set<Promise<void>>()
const password = process.env.COLOPHON_ENGINE_PASSWORD ?? '' // not an argument: those are in every list of processes
const server = createServer({ maxHeaderSize: uriLimitBytes }, (request, response) => {
  const refusal = refusalOf(request, password)
  if (refusal !== undefined) {
    response.writeHead(403, { 'content-type': 'text/plain', 'x-clickhouse-exception-code': '516' }).end(`${refusal}\n`)
    return
  }
  const answered = answer(engine, request, response).finally(() => unanswered.delete(answered))
  unanswered.add(answered)
})
server.listen(port, '127.0.0.1')
await once(server, 'listening').catch((error: Error) => exit(1, error.message))
console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
server.close()
await drained(drainMilliseconds)
// More than once: a query that waited for a thread starts only when another was killed.
for (let kills = 0; kills < 10 && unanswered.size > 0; kills++) {
  engine.killQueries()
  await drained(killMilliseconds)
}
engine.close()
process.exit(0)

async function drained(milliseconds: number): Promise<void> {
  await Promise.race([Promise.all(unanswered), sleep(milliseconds)])
}

function readArguments(): { chdb: string; data: string; port: number } {
  const option = { type: 'string' } as const
  try {
    const { chdb, data, port } = parseArgs({ options: { chdb: option, data: option, port: option } }).values
    if (chdb && data && port && /^\d+$/.test(port) && Number(port) < 65_536) return { chdb, data, port: Number(port) }
  } catch {}
  return exit(2, `start it as: ${usage}`)
}

function openEngine(): Engine {
  try {
    return new Engine(chdb, data)
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'
    return isMissing
      ? exit(2, `no chdb in ${chdb}: npm install --prefix ${chdb} chdb@3.4.0`)
      : exit(1, `cannot open ${data}: ${error}`)
  }
}

function exit(code: number, message: string): never {
  console.error(message)
  process.exit(code)
}
