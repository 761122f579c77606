/**
 * Bodies that are large or not JSON, optionally compressed with gzip. All bodies that are being read or processed share one
 * memory budget: a body reserves memory as its bytes arrive, not as its Content-Length announces.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { ByteBudget } from '../byte-budget.ts'
import type { HttpServer } from './http-server.ts'
import { Problem } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself, with a `LargeBodyReader`. */
    largeBody?: boolean
  }
}

export interface LargeBodyOptions {
  /** Uncompressed. */
  maxBytes: number
  allowGzip: boolean
  /** By default, an empty body is rejected. */
  allowEmpty?: boolean
  /** Parsers by media type; `*` is for all others. */
  parsers: Readonly<Record<string, (bytes: Buffer) => unknown>>
}

export const disableBodyParsing = (server: HttpServer): void => {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

export class LargeBodyReader {
  readonly #budget: ByteBudget
  readonly #maxBytesPerOwner: number
  readonly #owners = new Map<string, { budget: ByteBudget; bodies: number }>()

  constructor(maxBytes: number, { maxBytesPerOwner = maxBytes } = {}) {
    this.#budget = new ByteBudget(maxBytes)
    this.#maxBytesPerOwner = maxBytesPerOwner
  }

  /** The body counts against the budget until `use` settles, and against that of its owner: one must not keep out all others. */
  async read<Result>(
    request: IncomingMessage,
    options: LargeBodyOptions & { owner?: string | undefined },
    use: (body: unknown) => Promise<Result>,
  ): Promise<Result> {
    const owner = this.#enter(options.owner)
    let reservedBytes = 0
    const reserve = (bytes: number) => {
      if (reservedBytes + bytes > options.maxBytes) throw tooLarge(options)
      if (!owner.budget.tryReserve(bytes)) throw budgetExhausted()
      if (!this.#budget.tryReserve(bytes)) {
        owner.budget.release(bytes)
        throw budgetExhausted()
      }
      reservedBytes += bytes
    }
    try {
      const parse = selectParser(request, options)
      const bytes = await readAll(request, decompressed(request, options), reserve)
      if (bytes.length === 0 && !options.allowEmpty) throw emptyBody()
      return await use(parse(bytes))
    } finally {
      this.#budget.release(reservedBytes)
      owner.budget.release(reservedBytes)
      owner.leave()
    }
  }

  /** Without an owner, only the budget of all bodies counts. */
  #enter(name: string | undefined): { budget: ByteBudget; leave(): void } {
    if (name === undefined) return { budget: new ByteBudget(Number.POSITIVE_INFINITY), leave: () => {} }
    const owner = this.#owners.get(name) ?? { budget: new ByteBudget(this.#maxBytesPerOwner), bodies: 0 }
    this.#owners.set(name, owner)
    owner.bodies++
    const leave = () => {
      owner.bodies--
      if (owner.bodies === 0) this.#owners.delete(name)
    }
    return { budget: owner.budget, leave }
  }
}

function selectParser({ headers }: IncomingMessage, { parsers, maxBytes, allowGzip, allowEmpty }: LargeBodyOptions) {
  const isEmpty = headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0'
  if (isEmpty && !allowEmpty) throw emptyBody()
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const parse = Object.hasOwn(parsers, mediaType) ? parsers[mediaType] : parsers['*']
  if (!parse) throw new Problem('unsupported_media_type', `Send the body as ${Object.keys(parsers).join(' or ')}.`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge({ maxBytes })
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding === 'identity' || (allowGzip && encoding === 'gzip')) return parse
  const how = allowGzip ? 'uncompressed, or with `Content-Encoding: gzip`' : 'uncompressed, without Content-Encoding'
  throw new Problem('unsupported_media_type', `Send the body ${how}.`)
}

const decompressed = (request: IncomingMessage, { allowGzip }: LargeBodyOptions): Readable =>
  allowGzip && request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request

function readAll(request: IncomingMessage, source: Readable, reserve: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const fail = (error: unknown) => {
      reject(error)
      source.removeListener('data', onData)
      if (source !== request) source.destroy()
      request.unpipe()
      request.resume() // discards the rest: a client that sends too much gets the response instead of a broken pipe
    }
    const onData = (chunk: Buffer) => {
      try {
        reserve(chunk.length)
        chunks.push(chunk)
      } catch (error) {
        fail(error)
      }
    }
    source.on('data', onData)
    source.on('end', () => resolve(Buffer.concat(chunks)))
    source.on('error', () => fail(new Problem('invalid_request', 'The body cannot be read or decompressed.')))
    request.on('close', () => {
      if (!request.complete) fail(new Problem('invalid_request', 'The body is incomplete: the connection was closed.'))
    })
    if (source !== request) request.on('error', () => {}) // followed by `close`, which is handled above
  })
}

const emptyBody = () => new Problem('invalid_request', 'The body is empty.')
const tooLarge = ({ maxBytes }: Pick<LargeBodyOptions, 'maxBytes'>) =>
  new Problem('too_large', `The body is larger than the limit of ${maxBytes} bytes.`)
const budgetExhausted = () =>
  new Problem('unavailable', 'Too many large requests at the same time. Try again in a second.', {
    headers: { 'retry-after': '1' },
  })
