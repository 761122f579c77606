import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { ClickHouseException } from './exception.ts'
import { readStatement, type Statement } from './statement.ts'

/** What one HTTP request asks of the engine. */
export type Query = {
  sql: string
  statement: Exclude<Statement, { kind: 'empty' | 'several' }>
  /** Rows for an INSERT whose text came in the address; bytes all the way, as they can be hundreds of megabytes. */
  data: Buffer
  database?: string
  /** Settings, and bound parameters as `param_<name>`: SET takes both alike. */
  settings: Record<string, string>
  format: string
}

// A request is a session of its own here, so `session_id` and its like say nothing; every result is complete before it
// is sent, as if `wait_end_of_query` were always set; and whoever can reach the port may do everything.
const notSettings = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'wait_end_of_query',
  'buffer_size',
  'session_id',
  'session_timeout',
  'session_check',
  'user',
  'password',
  'quota_key',
  'role',
])

export async function readQuery(request: IncomingMessage, address: URL): Promise<Query> {
  const fields = address.searchParams
  const head = fields.get('query') ?? ''
  const body = await readBody(request)

  // With both, the server reads one after the other: mostly `query=INSERT … FORMAT …`, and the rows as the body.
  const dataApart = head !== '' && readStatement(head).kind === 'insert'
  const sql = dataApart ? head : `${head}\n${body.toString()}`
  const statement = readStatement(sql)
  if (statement.kind === 'empty') throw ClickHouseException.of(62, 'SYNTAX_ERROR', 'Empty query')
  if (statement.kind === 'several')
    throw ClickHouseException.of(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)')

  const database = fields.get('database')
  const defaultFormat = fields.get('default_format') ?? 'TabSeparated'
  return {
    sql,
    statement,
    data: dataApart ? body : Buffer.alloc(0),
    ...(database && { database }),
    settings: Object.fromEntries([...fields].filter(([name]) => !notSettings.has(name))),
    format: (statement.kind === 'other' && statement.format) || defaultFormat,
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return buffer(request)
  // A request cut short fails the read: half a block must never be inserted.
  if (encoding === 'gzip') return buffer(pipeline(request, createGunzip(), () => {})).catch(asInflateFailure)
  throw ClickHouseException.of(36, 'BAD_ARGUMENTS', `Content-Encoding ${encoding} is not supported here, gzip is`)
}

function asInflateFailure(error: NodeJS.ErrnoException): never {
  if (!error.code?.startsWith('Z_')) throw error
  throw ClickHouseException.of(354, 'ZLIB_INFLATE_FAILED', `inflate failed: ${error.message}`)
}
