/** One HTTP request, as raw as Node lets it through: headers may come twice and hold any byte that HTTP allows. */
import { Agent, request } from 'node:http'

export interface Call {
  method: string
  url: string
  /** Name, value, name, value …: so that a header can be sent twice. */
  headers?: readonly string[]
  body?: string | Buffer
  /** The last byte of the body is held back until then. */
  hold?: Promise<void>
  agent?: Agent
}

export interface Answer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  text: string
}

// Given up long before the server gives it up: else a call now and then meets a connection that is just being closed.
const idleConnectionMs = 20_000
const kept = new Agent({ keepAlive: true, maxSockets: 32, timeout: idleConnectionMs })

export function call({ method, url, headers = [], body, hold, agent = kept }: Call): Promise<Answer> {
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
    sent.setTimeout(60_000, () => sent.destroy(new Error(`${method} ${url}: no answer within a minute`)))
    if (!hold || !body) return void sent.end(body)
    sent.write(body.slice(0, -1))
    hold.then(() => sent.end(body.slice(-1)), reject)
  })
}

export const bearer = (key: string): string[] => ['authorization', `Bearer ${key}`]
