/** Sends raw bytes on a socket and parses the response, for requests that no HTTP client would send. */
import { connect } from 'node:net'
import type { HttpResponse } from './http-call.ts'

export interface RawRequest {
  method?: string
  /** As sent in the request line. */
  target: string
  /** Complete lines, such as `Accept: text/plain`. */
  headers?: readonly string[]
  body?: string | Buffer
  /** Header lines that frame the body. Default: the Content-Length of the body. */
  framing?: readonly string[]
}

export function formatRawRequest({ method = 'GET', target, headers = [], body = '', framing }: RawRequest): Buffer {
  const bytes = Buffer.from(body)
  const length = framing ?? (bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : [])
  const head = [`${method} ${target} HTTP/1.1`, 'Host: service', ...headers, ...length, '', '']
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), bytes])
}

export interface TimedResponse {
  /** Undefined: the connection was closed or timed out before a complete response. */
  response: HttpResponse | undefined
  seconds: number
}

export interface SendRawBytesOptions {
  withinSeconds?: number
  /** Sent once a second after the first bytes, until the server closes the connection. */
  drip?: string
}

export function sendRawBytes(
  apiUrl: string,
  bytes: Buffer | string,
  { withinSeconds = 20, drip }: SendRawBytesOptions = {},
): Promise<TimedResponse> {
  const { hostname, port } = new URL(apiUrl)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(bytes))
    const dripping = drip === undefined ? undefined : setInterval(() => socket.writable && socket.write(drip), 1000)
    const end = () => {
      clearInterval(dripping)
      clearTimeout(timeout)
      socket.destroy()
      resolve({ response: parseCompleteResponse(received), seconds: (performance.now() - startedAt) / 1000 })
    }
    const timeout = setTimeout(end, withinSeconds * 1000)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
      if (parseCompleteResponse(received)) end()
    })
    socket.once('close', end)
    socket.on('error', () => {}) // for example a reset after the response; 'close' follows
  })
}

/** Sends the request and resets the connection without waiting for a response. */
export function sendAndReset(apiUrl: string, bytes: Buffer | string): Promise<void> {
  const { hostname, port } = new URL(apiUrl)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes, () => socket.resetAndDestroy())
    })
    socket.on('error', () => {})
    socket.once('close', () => resolve())
  })
}

function parseCompleteResponse(received: Buffer): HttpResponse | undefined {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [first = '', ...lines] = received.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(first.match(/^HTTP\/1\.1 (\d{3}) /)?.[1])
  const rest = received.subarray(headEnd + 4)
  if (status === 100) return parseCompleteResponse(rest)
  const headers = Object.fromEntries(lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), headerValue(line)]))
  const length = Number(headers['content-length'] ?? 0)
  if (rest.length < length) return undefined
  return { status, headers, text: rest.subarray(0, length).toString() }
}

const headerValue = (line: string) => line.slice(line.indexOf(':') + 1).trim()
