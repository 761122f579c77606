/**
 * An HTTP relay in front of a server: a code host, ClickHouse, or our own `api`. For some requests the server does the work, and
 * its response is lost together with the connection.
 */
import { createServer, type IncomingMessage, request as sendRequest } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

export interface LossyHttpRelay {
  url: string
  /** Requests without a response yet. */
  inFlight(): number
  /** When the last request arrived, as `performance.now()`. */
  lastCallAtMs(): number
  count: { calls: number; lost: number; lostWrites: number }
  stop(): Promise<void>
}

export async function startLossyHttpRelay(upstreamUrl: string, shouldLose: () => boolean): Promise<LossyHttpRelay> {
  const count = { calls: 0, lost: 0, lostWrites: 0 }
  let inFlight = 0
  let lastCallAtMs = 0
  const server = createServer(async (request, response) => {
    count.calls++
    inFlight++
    lastCallAtMs = performance.now()
    try {
      const upstreamResponse = await forward(upstreamUrl, request)
      const body = await buffer(upstreamResponse)
      if (!shouldLose()) {
        const { 'transfer-encoding': _, connection: __, ...headers } = upstreamResponse.headers
        response.writeHead(upstreamResponse.statusCode ?? 502, { ...headers, 'content-length': body.length }).end(body)
        return
      }
      count.lost++
      if (isWrite(request)) count.lostWrites++
      response.destroy()
    } catch {
      response.destroy() // the server or the client was killed
    } finally {
      inFlight--
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay does not listen on a TCP port')
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

/** Once the server has the whole request, it may finish its work, even if the client dies meanwhile. */
async function forward(upstreamUrl: string, request: IncomingMessage): Promise<IncomingMessage> {
  const { expect: _, connection: __, ...headers } = request.headers
  const outgoing = sendRequest(upstreamUrl + request.url, { method: request.method ?? 'GET', headers, agent: false })
  const responded = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve)
    outgoing.once('error', reject)
  })
  const [response] = await Promise.all([responded, pipeline(request, outgoing)])
  return response
}

const isWrite = ({ method, url }: IncomingMessage) => method !== 'GET' && !url?.endsWith('/git-upload-pack')
