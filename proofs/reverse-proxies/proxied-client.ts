/** Sends requests for the public name to a port of this machine. */
import { connect as connectHttp2 } from 'node:http2'
import { Agent, request as sendRequest } from 'node:https'
import { connect } from 'node:tls'
import { publicName, type RunningProxy } from './start-proxies.ts'

export interface ProxiedRequest {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: string | Buffer
  /** Default: the public name. */
  host?: string
  /** The client's own address. */
  from?: string
  agent?: Agent
  /** Called with each part of the body when it arrives. */
  onData?: (text: string) => void
}

export interface ProxiedResponse {
  status: number
  /** In lower case. A header that was sent twice is there twice. */
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer
  firstByteMs: number
  /** Of the connection. The same if it was used before. */
  localPort: number
}

export const valuesOf = ({ headers }: Pick<ProxiedResponse, 'headers'>, wanted: string): string[] =>
  headers.flatMap(([name, value]) => (name === wanted ? [value] : []))

export function sendThrough(
  { port, authorityPem }: Pick<RunningProxy, 'port' | 'authorityPem'>,
  { method = 'GET', path, headers = {}, body, host = publicName, from, agent = new Agent(), onData }: ProxiedRequest,
): Promise<ProxiedResponse> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const sent = sendRequest({
      host: '127.0.0.1',
      port,
      servername: host,
      ca: authorityPem,
      method,
      path,
      agent,
      headers: {
        host,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
      ...(from !== undefined && { localAddress: from }),
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      const localPort = response.socket.localPort ?? 0
      const chunks: Buffer[] = []
      let firstByteMs = Number.POSITIVE_INFINITY
      response.on('data', (chunk: Buffer) => {
        firstByteMs = Math.min(firstByteMs, performance.now() - startedAt)
        chunks.push(chunk)
        onData?.(chunk.toString())
      })
      response.once('error', reject)
      response.once('end', () => {
        const pairs = response.rawHeaders
        resolve({
          status: response.statusCode ?? 0,
          headers: pairs.flatMap((name, index) =>
            index % 2 === 0 ? [[name.toLowerCase(), pairs[index + 1] ?? ''] as const] : [],
          ),
          body: Buffer.concat(chunks),
          firstByteMs,
          localPort,
        })
      })
    })
    sent.end(body)
  })
}

/** Over HTTP/2. Rejects if the proxy does not speak it. */
export async function sendOverHttp2(
  { port, authorityPem }: Pick<RunningProxy, 'port' | 'authorityPem'>,
  { method = 'GET', path, headers = {}, onData }: ProxiedRequest,
): Promise<{ status: number; headers: Readonly<Record<string, string | string[] | undefined>>; body: string }> {
  const session = connectHttp2(`https://${publicName}`, {
    createConnection: () =>
      connect({ host: '127.0.0.1', port, servername: publicName, ca: authorityPem, ALPNProtocols: ['h2'] }),
  })
  try {
    return await new Promise((resolve, reject) => {
      session.once('error', reject)
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      let received: Record<string, string | string[] | undefined> = {}
      let body = ''
      stream.setEncoding('utf8')
      stream.once('response', (responseHeaders) => {
        received = responseHeaders as typeof received
      })
      stream.on('data', (text: string) => {
        body += text
        onData?.(text)
      })
      stream.once('error', reject)
      stream.once('end', () => resolve({ status: Number(received[':status']), headers: received, body }))
    })
  } finally {
    session.destroy()
  }
}
