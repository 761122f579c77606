import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'

/**
 * A fetch that connects to a port on loopback, whatever the host and port of the URL are, and trusts only this authority. A browser
 * cannot do that, but a certificate for `localhost` is only valid for a URL without a port that other programs may use.
 */
export const createTlsFetch =
  (port: number, authorityPem: string): typeof fetch =>
  async (input, init) => {
    const url = new URL(String(input instanceof Request ? input.url : input))
    const call = request({
      host: '127.0.0.1',
      port,
      servername: url.hostname,
      ca: authorityPem,
      method: init?.method ?? 'GET',
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), host: url.host },
    })
    call.end(typeof init?.body === 'string' ? init.body : undefined)
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    const headers = new Headers()
    for (let index = 0; index < response.rawHeaders.length; index += 2)
      headers.append(response.rawHeaders[index] ?? '', response.rawHeaders[index + 1] ?? '')
    const status = response.statusCode ?? 0
    return new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers })
  }
