/**
 * An HTTP relay in front of a server: a code host, ClickHouse, or our own `api`. It loses or delays requests or responses, either
 * of single calls or of a random share of all calls.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { relayedUrl } from './relay.ts'

export interface RelayedCall {
  method: string
  /** Includes the query. */
  path: string
  body: string
}

export type CallMatcher = (call: RelayedCall) => boolean

/**
 * `request_lost`: the server never receives the request. `response_lost`: the server does the work, and its response is lost
 * together with the connection. `response_500`: the server does the work, and the response is replaced with a 500.
 */
export type LossKind = 'request_lost' | 'response_lost' | 'response_500'

export interface HeldCall {
  /** Resolves when the call arrives. The caller waits until `release()`. */
  reached: Promise<void>
  release(): void
}

export interface HttpRelay {
  /** The URL of the server through the relay, with the credentials and the path of the server's own URL. */
  url: string
  /** Applies once, to the next matching call. */
  loseNext(kind: LossKind, matches: CallMatcher): { hasOccurred(): boolean }
  /** Holds the next matching call once: before the server receives it, or after the server did the work. */
  holdNext(when: 'before' | 'after', matches: CallMatcher): HeldCall
  /** Requests without a response yet. */
  inFlight(): number
  /** When the last request arrived, as `performance.now()`. */
  lastCallAtMs(): number
  count: { calls: number; lost: number; lostWrites: number }
  stop(): Promise<void>
}

export interface HttpRelayOptions {
  onCall?: (call: RelayedCall) => void
  /** Called for each response that is not affected by another fault. */
  shouldLose?: () => boolean
}

interface Fault {
  matches: CallMatcher
  before(): Promise<'continue' | 'lost'>
  after(): Promise<'continue' | 'lost' | '500'>
}

export async function startHttpRelay(
  serverUrl: string,
  { onCall, shouldLose = () => false }: HttpRelayOptions = {},
): Promise<HttpRelay> {
  const faults: Fault[] = []
  const count = { calls: 0, lost: 0, lostWrites: 0 }
  let inFlight = 0
  let lastCallAtMs = 0

  const takeFault = (call: RelayedCall) => {
    const index = faults.findIndex(({ matches }) => matches(call))
    return index < 0 ? undefined : faults.splice(index, 1)[0]
  }
  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming)
    const call = { method: incoming.method ?? '', path: incoming.url ?? '', body: body.toString('latin1') }
    onCall?.(call)
    const fault = takeFault(call)
    if ((await fault?.before()) === 'lost') return outgoing.destroy()
    const response = await forward(serverUrl, incoming, body)
    const action = fault ? await fault.after() : shouldLose() ? 'lost' : 'continue'
    if (action === 'lost') {
      count.lost++
      if (isWrite(incoming)) count.lostWrites++
      return outgoing.destroy()
    }
    if (action === '500') return outgoing.writeHead(500).end()
    outgoing.writeHead(response.status, response.headers).end(response.body)
  }
  const server = createServer(async (incoming, outgoing) => {
    count.calls++
    inFlight++
    lastCallAtMs = performance.now()
    await relay(incoming, outgoing).catch(() => outgoing.destroy()) // the caller is gone, or the server is down
    inFlight--
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: relayedUrl(serverUrl, (server.address() as AddressInfo).port),
    count,
    inFlight: () => inFlight,
    lastCallAtMs: () => lastCallAtMs,
    loseNext(kind, matches) {
      const fault: Fault = {
        matches,
        before: async () => (kind === 'request_lost' ? 'lost' : 'continue'),
        after: async () => (kind === 'response_500' ? '500' : 'lost'),
      }
      faults.push(fault)
      return { hasOccurred: () => !faults.includes(fault) }
    },
    holdNext(when, matches) {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const wait = async () => {
        reached.resolve()
        await released.promise
        return 'continue' as const
      }
      const pass = async () => 'continue' as const
      faults.push({ matches, before: when === 'before' ? wait : pass, after: when === 'after' ? wait : pass })
      return { reached: reached.promise, release: released.resolve }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface RelayedResponse {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

/** The server has the whole request, so it finishes its work even if the caller dies meanwhile. */
function forward(serverUrl: string, incoming: IncomingMessage, body: Buffer): Promise<RelayedResponse> {
  const { hostname, port, host } = new URL(serverUrl)
  const { 'transfer-encoding': _, connection: __, expect: ___, ...headers } = incoming.headers
  const length = incoming.method === 'GET' ? {} : { 'content-length': String(body.length) }
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, ...length, host },
      agent: false,
    })
    outgoing.once('error', reject)
    outgoing.once('response', async (response) => {
      const { 'transfer-encoding': _, connection: __, ...forwarded } = response.headers
      const responseBody = await buffer(response).catch(reject)
      if (responseBody) resolve({ status: response.statusCode ?? 502, headers: forwarded, body: responseBody })
    })
    outgoing.end(body)
  })
}

const isWrite = ({ method, url }: IncomingMessage) => method !== 'GET' && !url?.endsWith('/git-upload-pack')
