import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { ClickHouseException } from './exception.ts'
import { readStatement, type Statement } from './statement.ts'

/** The query in one HTTP request. */
export type Query = {
  sql: string
  statement: Exclude<Statement, { kind: 'empty' | 'multiple' }>
  /** Rows of an INSERT whose statement is in the URL. Never decoded, because they can be hundreds of megabytes. */
  data: Buffer
  database?: string
  /** Settings, and bound parameters as `param_<name>`. SET accepts both. */
  settings: Record<string, string>
  format: string
}

// Every request has its own session here, so `session_id` and similar parameters have no effect. Every result is complete
// before it is sent, as if `wait_end_of_query` were always set. Every authenticated client has all permissions.
const nonSettings = new Set([
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
  const parameters = address.searchParams
  const head = parameters.get('query') ?? ''
  const body = await readBody(request)

  // The server concatenates the parameter and the body: usually `query=INSERT … FORMAT …`, and the rows as the body.
  const isDataSeparate = head !== '' && readStatement(head).kind === 'insert'
  const sql = isDataSeparate ? head : `${head}\n${body.toString()}`
  const statement = readStatement(sql)
  if (statement.kind === 'empty') throw ClickHouseException.of(62, 'SYNTAX_ERROR', 'Empty query')
  if (statement.kind === 'multiple')
    throw ClickHouseException.of(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)')

  const database = parameters.get('database')
  const defaultFormat = parameters.get('default_format') ?? 'TabSeparated'
  return {
    sql,
    statement,
    data: isDataSeparate ? body : Buffer.alloc(0),
    ...(database && { database }),
    settings: Object.fromEntries([...parameters].filter(([name]) => !nonSettings.has(name))),
    format: (statement.kind === 'other' && statement.format) || defaultFormat,
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity') return buffer(request)
  // A truncated request fails the read, so that part of a block is never inserted.
  if (encoding === 'gzip') return buffer(pipeline(request, createGunzip(), () => {})).catch(throwInflateError)
  throw ClickHouseException.of(36, 'BAD_ARGUMENTS', `Content-Encoding ${encoding} is not supported, only gzip`)
}

function throwInflateError(error: NodeJS.ErrnoException): never {
  if (!error.code?.startsWith('Z_')) throw error
  throw ClickHouseException.of(354, 'ZLIB_INFLATE_FAILED', `inflate failed: ${error.message}`)
}
