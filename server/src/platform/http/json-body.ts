/** JSON bodies, refused where no honest client would have sent them. */
import type { FastifyRequest } from 'fastify'
import type { HttpServer } from './http-server.ts'
import { Problem } from './problem.ts'

const deepestNesting = 100
const maxFields = 1_000 // validating 100,000 unknown ones takes most of a second, in which nobody else is answered
const bodyHeaders = ['content-type', 'content-length', 'transfer-encoding', 'content-encoding']

export function addJsonBody(server: HttpServer): void {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: FastifyRequest, body: Buffer) => parseJson(body),
  )
  server.addHook('preParsing', async ({ routeOptions, headers }) => {
    if (routeOptions.config.largeBody) return
    if (!routeOptions.schema?.body) {
      // What a route does not ask for it does not read, whatever its type: clients send `{}` or nothing as JSON to such.
      for (const name of bodyHeaders) delete headers[name]
    } else if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
      throw new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.')
    }
  })
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

export function parseJson(body: Uint8Array): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch {
    throw new Problem(
      'invalid_request',
      body.length === 0 ? 'The body is empty: send JSON.' : 'The body is not valid JSON in UTF-8.',
    )
  }
  refuseOddities(value)
  return value
}

/** Level by level and not by recursion: a body of 1 MiB can be 500,000 levels deep. */
function refuseOddities(root: unknown): void {
  let level = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepestNesting)
      throw new Problem('invalid_request', `The body is nested deeper than ${deepestNesting} levels.`)
    for (const value of level) if (typeof value === 'string') refuseText(value)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? childrenOf(value) : []))
  }
}

function childrenOf(value: object): unknown[] {
  if (Array.isArray(value)) return value
  const names = Object.keys(value)
  if (names.length > maxFields)
    throw new Problem('invalid_request', `The body has an object with more than ${maxFields} fields.`)
  for (const name of names) {
    refuseText(name)
    if (name === '__proto__') throw new Problem('invalid_request', 'The body has a field named __proto__.')
  }
  return Object.values(value)
}

/** PostgreSQL cannot store NUL, and half a surrogate pair would come back as another character than was sent. */
function refuseText(text: string): void {
  if (text.includes('\0')) throw new Problem('invalid_request', 'The body has text with a NUL character.')
  if (!text.isWellFormed()) throw new Problem('invalid_request', 'The body has text that is not well-formed Unicode.')
}
