/** One HTTP request with as little processing as Node allows: headers may be repeated and contain any byte that HTTP allows. */
import { Agent, request } from 'node:http'

export interface HttpRequest {
  method: string
  url: string
  /** Name, value, name, value …, so that a header can be sent twice. */
  headers?: readonly string[]
  body?: string | Buffer
  /** The last byte of the body is sent when this resolves. */
  holdLastByteUntil?: Promise<void>
  agent?: Agent
}

export interface HttpResponse {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

// Much shorter than the server's own keep-alive timeout: otherwise a call occasionally uses a connection that is just being
// closed.
const idleConnectionMs = 20_000
const keepAliveAgent = new Agent({ keepAlive: true, maxSockets: 32, timeout: idleConnectionMs })

export function sendHttpRequest({
  method,
  url,
  headers = [],
  body,
  holdLastByteUntil,
  agent = keepAliveAgent,
}: HttpRequest): Promise<HttpResponse> {
  const { hostname, port, pathname, search, host } = new URL(url)
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
  return new Promise((resolve, reject) => {
    const sent = request(
      { method, hostname, port, path: `${pathname}${search}`, agent, headers: ['host', host, ...length, ...headers] },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          })
        })
      },
    )
    sent.once('error', reject)
    sent.setTimeout(60_000, () => sent.destroy(new Error(`${method} ${url}: no response within a minute`)))
    if (!holdLastByteUntil || !body) return void sent.end(body)
    sent.write(body.slice(0, -1))
    holdLastByteUntil.then(() => sent.end(body.slice(-1)), reject)
  })
}

export const formatBearerHeader = (key: string): string[] => ['authorization', `Bearer ${key}`]
