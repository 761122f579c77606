/** Parses JSON bodies and rejects those that no legitimate client sends. */
import type { FastifyRequest } from 'fastify'
import type { HttpServer } from './http-server.ts'
import { Problem } from './problem.ts'

const maxNestingLevels = 100
const maxFields = 1_000 // validating 100,000 unknown ones takes most of a second, in which no other request is served
const bodyHeaders = ['content-type', 'content-length', 'transfer-encoding', 'content-encoding']

export function addJsonBodyParser(server: HttpServer): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body),
  )
  server.addHook('preParsing', async ({ routeOptions, headers }) => {
    if (routeOptions.config.largeBody) return
    if (!routeOptions.schema?.body) {
      // A route without a body schema ignores the body, whatever its type: clients send `{}` or an empty JSON body to
      // such routes.
      for (const name of bodyHeaders) delete headers[name]
    } else if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new Problem('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.')
    }
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJsonBody(body: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw new Problem(
      'invalid_request',
      body.length === 0 ? 'The body is empty. Send JSON.' : 'The body is not valid JSON in UTF-8.',
    )
  }
  rejectUnsafeJson(value)
  return value
}

/** Level by level instead of recursively: a body of 1 MiB can be 500,000 levels deep. */
function rejectUnsafeJson(root: unknown): void {
  let level = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxNestingLevels)
      throw new Problem('invalid_request', `The body is nested deeper than ${maxNestingLevels} levels.`)
    for (const value of level) if (typeof value === 'string') rejectUnsafeText(value)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? childrenOf(value) : []))
  }
}

function childrenOf(value: object): unknown[] {
  if (Array.isArray(value)) return value
  const names = Object.keys(value)
  if (names.length > maxFields)
    throw new Problem('invalid_request', `The body contains an object with more than ${maxFields} fields.`)
  for (const name of names) {
    rejectUnsafeText(name)
    if (name === '__proto__') throw new Problem('invalid_request', 'The body contains a field named __proto__.')
  }
  return Object.values(value)
}

/** PostgreSQL cannot store NUL, and a lone surrogate would be returned as a different character than the one sent. */
function rejectUnsafeText(text: string): void {
  if (text.includes('\0')) throw new Problem('invalid_request', 'The body contains a NUL character.')
  if (!text.isWellFormed())
    throw new Problem('invalid_request', 'The body contains text that is not well-formed Unicode.')
}
