/** Stands between Colophon and a code host, and faults single calls: loses them, loses their answers, or holds them. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RelayedCall {
  method: string
  /** With its query. */
  path: string
  body: string
}

export type IsMeant = (call: RelayedCall) => boolean

/**
 * `call_lost`: the host never hears of it. `answer_lost`: the host does the work, and nobody hears of it. `answer_500`: it
 * does the work and says that it failed.
 */
export type Loss = 'call_lost' | 'answer_lost' | 'answer_500'

export interface HeldCall {
  /** The call has come; as long as it is held, the one who called waits. */
  reached: Promise<void>
  release(): void
}

export interface FaultyRelay {
  /** The host's address, through the relay. */
  url: string
  /** All that came so far. */
  readonly calls: readonly RelayedCall[]
  /** The next call that is meant, once. Says whether it has come. */
  lose(how: Loss, isMeant: IsMeant): { struck(): boolean }
  /** The next call that is meant, once: before the host hears of it, or after it did the work. */
  hold(when: 'before' | 'after', isMeant: IsMeant): HeldCall
  stop(): Promise<void>
}

interface Fault {
  isMeant: IsMeant
  before(): Promise<'go on' | 'lost'>
  after(): Promise<'go on' | 'lost' | '500'>
}

export async function startFaultyRelay(hostUrl: string): Promise<FaultyRelay> {
  const faults: Fault[] = []
  const calls: RelayedCall[] = []

  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = Buffer.concat(await incoming.toArray())
    const call = { method: incoming.method ?? '', path: incoming.url ?? '', body: body.toString('latin1') }
    calls.push(call)
    const index = faults.findIndex(({ isMeant }) => isMeant(call))
    const [fault] = index < 0 ? [] : faults.splice(index, 1)
    if ((await fault?.before()) === 'lost') return outgoing.destroy()
    const response = await forward(hostUrl, incoming, body)
    const what = await fault?.after()
    if (what === 'lost') return outgoing.destroy()
    if (what === '500') return outgoing.writeHead(500).end()
    outgoing.writeHead(response.status, response.headers).end(response.body)
  }
  const server = createServer((incoming, outgoing) => {
    relay(incoming, outgoing).catch(() => outgoing.destroy()) // whoever called has gone, or the host is away
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    lose(how, isMeant) {
      const fault: Fault = {
        isMeant,
        before: async () => (how === 'call_lost' ? 'lost' : 'go on'),
        after: async () => (how === 'answer_500' ? '500' : 'lost'),
      }
      faults.push(fault)
      return { struck: () => !faults.includes(fault) }
    },
    hold(when, isMeant) {
      const reached = Promise.withResolvers<void>()
      const released = Promise.withResolvers<void>()
      const wait = async () => {
        reached.resolve()
        await released.promise
        return 'go on' as const
      }
      const pass = async () => 'go on' as const
      faults.push({ isMeant, before: when === 'before' ? wait : pass, after: when === 'after' ? wait : pass })
      return { reached: reached.promise, release: released.resolve }
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface RelayedAnswer {
  status: number
  headers: NodeJS.Dict<string | string[]>
  body: Buffer
}

function forward(hostUrl: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<RelayedAnswer> {
  const { hostname, port, host } = new URL(hostUrl)
  const { 'transfer-encoding': _, ...others } = headers
  const length = method === 'GET' ? {} : { 'content-length': String(body.length) }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: url, headers: { ...others, ...length, host } },
      async (response) => {
        const { 'transfer-encoding': __, connection: ___, ...kept } = response.headers
        const chunks = await response.toArray().catch(reject)
        if (chunks) resolve({ status: response.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) })
      },
    )
    sent.once('error', reject)
    sent.end(body)
  })
}
