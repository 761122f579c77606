import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { HttpServer } from '../../platform/http/http-server.ts'

/** Whose requests they are. */
export interface RequestOrigin {
  authorization: string
  ipAddress: string
  userAgent: string
}

/**
 * A `fetch` that passes requests to the server of this process, without a connection, in the name of a caller. Everything that
 * applies to requests from outside applies to them too.
 */
export const createInProcessFetch =
  (server: HttpServer, { authorization, ipAddress, userAgent }: RequestOrigin): typeof fetch =>
  async (input, { method = 'GET', headers = {}, body, signal } = {}) => {
    signal?.throwIfAborted()
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const injected = await server.inject({
      method: method as 'GET' | 'POST' | 'PATCH' | 'DELETE',
      url: pathname + search,
      headers: { ...Object.fromEntries(new Headers(headers)), authorization, 'user-agent': userAgent },
      ...(typeof body === 'string' && { payload: body }),
      remoteAddress: ipAddress,
      payloadAsStream: true,
    })
    // Like a lost connection. Without it, a stream that nobody reads any more would stay open (tried).
    const disconnect = () => injected.raw.res.destroy()
    const stream = injected.stream().once('close', disconnect)
    if (signal?.aborted) stream.destroy()
    const abort = () => stream.destroy(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    stream.once('close', () => signal?.removeEventListener('abort', abort))
    const hasBody = injected.statusCode !== 204 && injected.statusCode !== 304
    return new Response(hasBody ? (Readable.toWeb(stream) as ReadableStream<Uint8Array>) : null, {
      status: injected.statusCode,
      headers: Object.entries(injected.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [value].flat().map((each) => [name, String(each)]),
      ),
    })
  }
