/**
 * A load balancer for HTTP: each request goes to the next replica that is ready by `/readyz`, once. It retries nothing, so a request
 * that a replica does not answer fails.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CleanUp } from '../../testing/harness/colophon.ts'

const checkEveryMs = 100
const checkTimeoutMs = 5_000
/** A replica that says that it is stopping gets no more requests. One that is only slow does after so many failed checks. */
const maxFailedChecks = 3

interface Backend {
  url: string
  isReady: boolean
  failedChecks: number
}

export class Balancer {
  readonly #backends = new Map<string, Backend>()
  readonly #server = createServer((incoming, response) => this.#forward(incoming, response))
  readonly #stopping = new AbortController()
  readonly #checks = new Set<Promise<void>>()
  #next = 0

  static async start(run: CleanUp): Promise<Balancer> {
    const balancer = new Balancer()
    balancer.#server.keepAliveTimeout = 60_000 // longer than clients keep a connection
    balancer.#server.listen(0, '127.0.0.1')
    await once(balancer.#server, 'listening')
    run.cleanUp(async () => {
      balancer.#stopping.abort()
      balancer.#server.closeAllConnections()
      balancer.#server.close()
      await Promise.all(balancer.#checks)
    })
    return balancer
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add(url: string): void {
    const backend = { url, isReady: false, failedChecks: 0 }
    this.#backends.set(url, backend)
    this.#checks.add(this.#checkWhilePresent(backend))
  }

  remove(url: string): void {
    this.#backends.delete(url)
  }

  isReady(url: string): boolean {
    return this.#backends.get(url)?.isReady ?? false
  }

  /** Each by itself: a slow replica must not hide that another one is stopping. */
  async #checkWhilePresent(backend: Backend): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#backends.has(backend.url)) {
      await checkBackend(backend)
      await sleep(checkEveryMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
    }
  }

  #forward(incoming: IncomingMessage, response: ServerResponse): void {
    const ready = [...this.#backends.values()].filter(({ isReady }) => isReady)
    const backend = ready[this.#next++ % ready.length]
    if (!backend) {
      response.writeHead(502).end('no replica is ready')
      return
    }
    const { method, headers, url = '/' } = incoming
    const outgoing = sendRequest(new URL(url, backend.url), { method, headers, agent: false })
    outgoing.on('response', (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response)
      received.on('error', () => response.destroy())
    })
    outgoing.on('error', (error) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end(`${backend.url}: ${error.message}`)
    })
    response.on('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  }
}

async function checkBackend(backend: Backend): Promise<void> {
  const signal = AbortSignal.timeout(checkTimeoutMs)
  const status = await fetch(`${backend.url}/readyz`, { signal }).then(
    async (response) => (response.ok ? 'ready' : ((await response.json()) as { status: string }).status),
    () => 'unreachable',
  )
  backend.failedChecks = status === 'ready' ? 0 : backend.failedChecks + 1
  if (status === 'ready') backend.isReady = true
  else if (status === 'stopping' || backend.failedChecks >= maxFailedChecks) backend.isReady = false
}
