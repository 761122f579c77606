/**
 * An HTTP relay between Colophon and a code host that injects faults into single calls: it loses requests or responses, or
 * delays them.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RelayedCall {
  method: string
  /** Includes the query. */
  path: string
  body: string
}

export type CallMatcher = (call: RelayedCall) => boolean

/**
 * `request_lost`: the host never receives the request. `response_lost`: the host does the work, and its response is lost.
 * `response_500`: the host does the work, and the response is replaced with a 500.
 */
export type LossKind = 'request_lost' | 'response_lost' | 'response_500'

export interface HeldCall {
  /** Resolves when the call arrives. The caller waits until `release()`. */
  reached: Promise<void>
  release(): void
}

export interface FaultyRelay {
  /** The URL of the code host through the relay. */
  url: string
  /** All calls so far. */
  readonly calls: readonly RelayedCall[]
  /** Applies once, to the next matching call. */
  loseNext(kind: LossKind, matches: CallMatcher): { hasOccurred(): boolean }
  /** Holds the next matching call once: before the host receives it, or after the host did the work. */
  holdNext(when: 'before' | 'after', matches: CallMatcher): HeldCall
  stop(): Promise<void>
}

interface Fault {
  matches: CallMatcher
  before(): Promise<'continue' | 'lost'>
  after(): Promise<'continue' | 'lost' | '500'>
}

export async function startFaultyRelay(hostUrl: string): Promise<FaultyRelay> {
  const faults: Fault[] = []
  const calls: RelayedCall[] = []

  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray())
    const call = { method: incoming.method ?? '', path: incoming.url ?? '', body: body.toString('latin1') }
    calls.push(call)
    const index = faults.findIndex(({ matches }) => matches(call))
    const [fault] = index < 0 ? [] : faults.splice(index, 1)
    if ((await fault?.before()) === 'lost') return outgoing.destroy()
    const response = await forward(hostUrl, incoming, body)
    const action = await fault?.after()
    if (action === 'lost') return outgoing.destroy()
    if (action === '500') return outgoing.writeHead(500).end()
    outgoing.writeHead(response.status, response.headers).end(response.body)
  }
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy()) // the caller is gone, or the host is down
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
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

function forward(hostUrl: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<RelayedResponse> {
  const { hostname, port, host } = new URL(hostUrl)
  const { 'transfer-encoding': _, ...otherHeaders } = headers
  const length = method === 'GET' ? {} : { 'content-length': String(body.length) }
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path: url, headers: { ...otherHeaders, ...length, host } },
      async (response) => {
        const { 'transfer-encoding': __, connection: ___, ...forwarded } = response.headers
        const chunks = await response.toArray().catch(reject)
        if (chunks) resolve({ status: response.statusCode ?? 502, headers: forwarded, body: Buffer.concat(chunks) })
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
