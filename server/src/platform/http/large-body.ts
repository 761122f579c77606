/**
 * Bodies that are large, or in other forms than JSON, and perhaps packed with gzip. All that are being read or worked on have
 * so much memory together, whoever sends them: a body takes its part as its bytes come, not as they are announced.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { HttpServer } from './http-server.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself, through `LargeBodies`. */
    largeBody?: boolean
  }
}

export interface LargeBody {
  /** Unpacked. */
  maxBytes: number
  mayBePacked: boolean
  /** By media type. */
  forms: Readonly<Record<string, (bytes: Buffer) => unknown>>
}

export const leaveBodiesToRoutes = (scope: HttpServer): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

export class LargeBodies {
  #freeBytes: number

  constructor(maxBytes: number) {
    this.#freeBytes = maxBytes
  }

  /** The body is in memory until `use` is done with it. */
  async read<Result>(
    request: IncomingMessage,
    wanted: LargeBody,
    use: (body: unknown) => Promise<Result>,
  ): Promise<Result> {
    let heldBytes = 0
    const hold = (bytes: number) => {
      if (heldBytes + bytes > wanted.maxBytes) throw tooLarge(wanted)
      if (bytes > this.#freeBytes) throw tooManyAtOnce()
      this.#freeBytes -= bytes
      heldBytes += bytes
    }
    try {
      const parse = formOf(request, wanted)
      const bytes = await readAll(request, unpacked(request, wanted), hold)
      if (bytes.length === 0) throw emptyBody()
      return await use(parse(bytes))
    } finally {
      this.#freeBytes += heldBytes
    }
  }
}

function formOf({ headers }: IncomingMessage, { forms, maxBytes, mayBePacked }: LargeBody) {
  if (headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0') throw emptyBody()
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const parse = Object.hasOwn(forms, mediaType) ? forms[mediaType] : undefined
  if (!parse) throw new Problem('unsupported_media_type', `Send the body as ${Object.keys(forms).join(' or ')}.`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge({ maxBytes })
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || (mayBePacked && encoding === 'gzip')) return parse
  const how = mayBePacked ? 'as it is, or with `Content-Encoding: gzip`' : 'as it is, without Content-Encoding'
  throw new Problem('unsupported_media_type', `Send the body ${how}.`)
}

const unpacked = (request: IncomingMessage, { mayBePacked }: LargeBody): Readable =>
  mayBePacked && request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request

function readAll(request: IncomingMessage, source: Readable, hold: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const refuse = (error: unknown) => {
      reject(error)
      source.removeListener('data', keep)
      if (source !== request) source.destroy()
      request.unpipe()
      request.resume() // what still comes is not kept: who sends too much is to see the answer, not a broken pipe
    }
    const keep = (chunk: Buffer) => {
      try {
        hold(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        refuse(error)
      }
    }
    source.on('data', keep)
    source.on('end', () => resolve(Buffer.concat(chunks)))
    source.on('error', () => refuse(new Problem('invalid_request', 'The body cannot be read to its end.')))
    request.on('close', () => {
      if (!request.complete) refuse(new Problem('invalid_request', 'The body did not come to its end.'))
    })
    if (source !== request) request.on('error', () => {}) // it is closed too
  })
}

const emptyBody = () => new Problem('invalid_request', 'The body is empty.')
const tooLarge = ({ maxBytes }: Pick<LargeBody, 'maxBytes'>) =>
  new Problem('too_large', `The body is larger than ${maxBytes} bytes, which is all that this address takes.`)
const tooManyAtOnce = () =>
  new Problem('unavailable', 'Too many large requests at once: send it again in a moment.', {
    headers: { 'retry-after': '1' },
  })
