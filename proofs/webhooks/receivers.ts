/** Receivers of webhooks that behave well and badly. All of them write down what they get. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'

export interface ReceivedRequest {
  receiver: string
  atMs: number
  id: string
  body: string
  /** Verified by the reference library. */
  isAuthentic: boolean
}

export interface Receiver {
  name: string
  /** Events arrive in the end. */
  accepts: boolean
  respond(response: ServerResponse, context: { id: string; isFirst: boolean; random: number }): Promise<void> | void
}

const slowMs = 400
const endless = Buffer.alloc(65_536, 'x')

export const receivers: readonly Receiver[] = [
  { name: 'healthy', accepts: true, respond: (response) => void response.writeHead(204).end() },
  {
    name: 'slow',
    accepts: true,
    async respond(response) {
      await sleep(slowMs)
      response.writeHead(200).end('late')
    },
  },
  {
    name: 'unreliable',
    accepts: true,
    // Errors, and responses that are lost after the event was processed.
    respond(response, { isFirst, random }) {
      if (isFirst && random < 0.1) response.destroy()
      else response.writeHead(isFirst && random < 0.2 ? 500 : 200).end()
    },
  },
  {
    name: 'huge',
    accepts: true,
    respond(response) {
      response.writeHead(200)
      const send = () => {
        while (!response.destroyed && response.write(endless));
      }
      response.on('drain', send)
      send()
    },
  },
  { name: 'silent', accepts: false, respond: () => {} },
  {
    name: 'redirecting',
    accepts: false,
    respond: (response) => void response.writeHead(307, { location: '/redirected' }).end(),
  },
  { name: 'gone', accepts: false, respond: (response) => void response.writeHead(410).end() },
]

export interface RunningReceivers {
  port: number
  requests: readonly ReceivedRequest[]
  /** Requests to addresses that no endpoint leads to: behind a redirect, or an internal one. */
  strayRequests: readonly string[]
  setSecret(receiver: string, secret: string): void
  stop(): Promise<void>
}

/** One server for all, which is at a public address as far as the egress knows. The path is the name of the receiver. */
export async function startReceivers(random: () => number): Promise<RunningReceivers> {
  const requests: ReceivedRequest[] = []
  const strayRequests: string[] = []
  const secrets = new Map<string, string>()
  const seen = new Set<string>()
  const server = createServer(async (request, response) => {
    const body = await readBody(request)
    const name = (request.url ?? '').slice(1)
    const receiver = receivers.find((candidate) => candidate.name === name)
    if (!receiver) {
      strayRequests.push(`${request.headers.host}${request.url}`)
      return void response.writeHead(204).end()
    }
    const id = String(request.headers['webhook-id'])
    const key = `${name} ${id}`
    const isFirst = !seen.has(key)
    seen.add(key)
    requests.push({
      receiver: name,
      atMs: Date.now(),
      id,
      body,
      isAuthentic: isAuthentic(secrets.get(name) ?? '', body, request),
    })
    await receiver.respond(response, { id, isFirst, random: random() })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    strayRequests,
    setSecret: (receiver, secret) => void secrets.set(receiver, secret),
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function isAuthentic(secret: string, body: string, { headers }: IncomingMessage): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
