/**
 * Beacons at a fixed rate, with random IDs and the public site key. Writes prepared bytes to sockets: an HTTP client would take as
 * much of the machine as the server that is measured.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

export interface BeaconTarget {
  apiUrl: string
  siteKey: string
  perSecond: number
}

export interface BeaconCounts {
  sent: number
  /** By status. 204 means that the beacon was counted or dropped. */
  responses: Record<string, number>
  /** Not sent, because all connections still waited for a response. */
  skipped: number
}

/** They are opened as needed: senders on the internet do not wait for each other's responses. */
const maxConnections = 5_000
const tickMs = 10
/** Further ones would be folded into one page. */
const pages = 5_000

export class BeaconFlood {
  readonly counts: BeaconCounts = { sent: 0, responses: {}, skipped: 0 }
  readonly #target: BeaconTarget
  readonly #idle: Socket[] = []
  readonly #all = new Set<Socket>()
  #timer: NodeJS.Timeout | undefined

  constructor(target: BeaconTarget) {
    this.#target = target
  }

  start(): void {
    const startedAtMs = performance.now()
    let due = 0
    this.#timer = setInterval(() => {
      const total = Math.floor(((performance.now() - startedAtMs) * this.#target.perSecond) / 1000)
      for (; due < total; due++) this.#send()
    }, tickMs)
  }

  stop(): void {
    clearInterval(this.#timer)
    for (const socket of this.#all) socket.destroy()
  }

  #send(): void {
    const socket = this.#idle.pop() ?? (this.#all.size < maxConnections ? this.#open() : undefined)
    if (!socket) {
      this.counts.skipped++
      return
    }
    this.counts.sent++
    const { apiUrl, siteKey } = this.#target
    const id = randomBytes(12).toString('hex')
    const body = `{"key":"${siteKey}","id":"${id}","path":"/noise/${Math.floor(Math.random() * pages)}"}`
    socket.write(
      `POST /v1/collect HTTP/1.1\r\nhost: ${new URL(apiUrl).host}\r\ncontent-type: text/plain\r\n` +
        'user-agent: Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0\r\n' +
        `content-length: ${body.length}\r\n\r\n${body}`,
    )
  }

  #open(): Socket {
    const { hostname, port } = new URL(this.#target.apiUrl)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    this.#all.add(socket)
    // A response is so small that it arrives in one piece.
    socket.on('data', (chunk) => {
      const status = chunk.toString('latin1', 9, 12)
      this.counts.responses[status] = (this.counts.responses[status] ?? 0) + 1
      this.#idle.push(socket)
    })
    socket.on('error', () => {}) // `close` follows
    socket.on('close', () => {
      this.#all.delete(socket)
      const index = this.#idle.indexOf(socket)
      if (index >= 0) this.#idle.splice(index, 1)
    })
    return socket
  }
}
