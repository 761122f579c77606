/**
 * Stands in front of a server: a code host, ClickHouse, or our own `api`. Now and then the server does what it was asked for, and its answer is lost
 * together with the connection.
 */
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

export interface LossyHttp {
  url: string
  /** Requests without their answer. */
  inFlight(): number
  /** Of the last request that came. */
  lastCallAtMs(): number
  count: { calls: number; lost: number; lostWrites: number }
  stop(): Promise<void>
}

export async function startLossyHttp(hostUrl: string, loses: () => boolean): Promise<LossyHttp> {
  const count = { calls: 0, lost: 0, lostWrites: 0 }
  let inFlight = 0
  let lastCallAtMs = 0
  const server = createServer(async (request, response) => {
    count.calls++
    inFlight++
    lastCallAtMs = performance.now()
    try {
      const answer = await ask(hostUrl, request)
      const body = await buffer(answer)
      if (!loses()) {
        const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers
        response.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': body.length }).end(body)
        return
      }
      count.lost++
      if (isWrite(request)) count.lostWrites++
      response.destroy()
    } catch {
      response.destroy() // the host was killed, or whoever asked was
    } finally {
      inFlight--
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    inFlight: () => inFlight,
    lastCallAtMs: () => lastCallAtMs,
    count,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Once the host has the whole request it is left to do its work, even when whoever asked dies meanwhile. */
async function ask(hostUrl: string, request: IncomingMessage): Promise<IncomingMessage> {
  const { expect: _, connection: __, ...headers } = request.headers
  const sent = sendRequest(hostUrl + request.url, { method: request.method ?? 'GET', headers, agent: false })
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve)
    sent.once('error', reject)
  })
  const [answer] = await Promise.all([answered, pipeline(request, sent)])
  return answer
}

const isWrite = ({ method, url }: IncomingMessage) => method !== 'GET' && !url?.endsWith('/git-upload-pack')
