/** What the agent does, on its way to whoever follows along. Each upload is also the sign that the runner lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent } from '../runner-wire/runner-wire.ts'
import type { AgentRunEvent } from './agents/coding-agent.ts'
import { type GatewayClient, GatewayError } from './gateway-client.ts'
import { cutText } from './sandbox/plain-text.ts'

export interface LiveEventsOptions {
  gateway: GatewayClient
  attemptToken: string
  heartbeatSeconds: number
  /** In the gateway's word. */
  onStop(reason: string): void
  /** Another runner has the turn by now, or nobody. */
  onLost(): void
}

const uploadEveryMs = 1_000
const minPatienceMs = 2_000
const tryAgainMs = 250
const maxEventsPerUpload = 500
const maxConcurrentBytes = 1024 * 1024
/** The gateway keeps no more of a try either. */
const maxTotalBytes = 20 * 1024 * 1024
const maxTextCharacters = 60_000
const maxIdCharacters = 200

export class LiveEvents implements AsyncDisposable {
  readonly #options: LiveEventsOptions
  readonly #signOfLifeEveryMs: number
  readonly #timer: NodeJS.Timeout
  #waiting: { event: AgentEvent; sizeBytes: number }[] = []
  #bytesLeft = maxTotalBytes
  /** Sent and not confirmed: sent again as it is, since the gateway may have it and lost its answer only. */
  #sent: AgentEvent[] = []
  #firstIndex = 0
  #uploading: Promise<boolean> | undefined
  #confirmedAtMs = Date.now()
  readonly #over = new AbortController()

  constructor(options: LiveEventsOptions) {
    this.#options = options
    this.#signOfLifeEveryMs = (options.heartbeatSeconds * 1000) / 2
    this.#timer = setInterval(() => this.#tick(), Math.min(uploadEveryMs, this.#signOfLifeEveryMs))
  }

  add(event: AgentRunEvent): void {
    if (this.#bytesLeft <= 0) return
    const entry = this.#entry(event)
    this.#bytesLeft -= entry.sizeBytes
    this.#waiting.push(entry)
    if (this.#bytesLeft <= 0) this.#waiting.push(this.#entry({ kind: 'notice', text: 'The rest is too long to show.' }))
  }

  /** Sends what is left, and hears once more whether to stop; a gateway that is away does not get to see the last of it. */
  async flush(until: AbortSignal): Promise<void> {
    const timeIsUp = new Promise((resolve) => {
      until.addEventListener('abort', resolve)
      if (until.aborted) resolve(undefined)
    })
    await Promise.race([this.#uploading, timeIsUp]) // what it hears may be old
    do {
      const uploaded = await Promise.race([this.#upload(), timeIsUp])
      if (uploaded === false) await Promise.race([sleep(tryAgainMs), timeIsUp])
    } while ((this.#sent.length > 0 || this.#waiting.length > 0) && !this.#over.signal.aborted && !until.aborted)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#over.abort()
    await this.#uploading
  }

  #tick(): void {
    const due = Date.now() - this.#confirmedAtMs >= this.#signOfLifeEveryMs
    if (due || this.#sent.length > 0 || this.#waiting.length > 0) void this.#upload()
  }

  /** One at a time. False: it did not arrive, or nobody knows whether it did. */
  #upload(): Promise<boolean> {
    this.#uploading ??= this.#send().finally(() => {
      this.#uploading = undefined
    })
    return this.#uploading
  }

  async #send(): Promise<boolean> {
    if (this.#over.signal.aborted) return false
    const { gateway, attemptToken, heartbeatSeconds, onStop, onLost } = this.#options
    if (this.#sent.length === 0) this.#sent = this.#takeSome()
    const patience = AbortSignal.timeout(Math.max(minPatienceMs, heartbeatSeconds * 1000))
    try {
      const upload = { firstIndex: this.#firstIndex, events: this.#sent }
      const { stop } = await gateway.upload(attemptToken, upload, AbortSignal.any([patience, this.#over.signal]))
      this.#firstIndex += this.#sent.length
      this.#sent = []
      this.#confirmedAtMs = Date.now()
      if (stop !== null) onStop(stop)
      return true
    } catch (error) {
      if (!(error instanceof GatewayError)) return false
      if (error.isNotOurs) {
        this.#over.abort()
        onLost()
      } else if (error.isFinal) this.#sent = [] // something in there it cannot take: the turn matters more than its story
      return false
    }
  }

  #takeSome(): AgentEvent[] {
    const some: AgentEvent[] = []
    let bytesLeft = maxConcurrentBytes
    for (const { event, sizeBytes } of this.#waiting) {
      bytesLeft -= sizeBytes
      if (some.length === maxEventsPerUpload || (some.length > 0 && bytesLeft < 0)) break
      some.push(event)
    }
    this.#waiting = this.#waiting.slice(some.length)
    return some
  }

  #entry(event: AgentRunEvent) {
    const onWire = asAgentEvent(event, new Date().toISOString())
    return { event: onWire, sizeBytes: Buffer.byteLength(JSON.stringify(onWire)) }
  }
}

function asAgentEvent(event: AgentRunEvent, at: string): AgentEvent {
  const text = (words: string) => cutText(words, maxTextCharacters)
  const id = (words: string) => words.slice(0, maxIdCharacters).toWellFormed()
  switch (event.kind) {
    case 'text':
    case 'notice':
      return { type: event.kind, at, text: text(event.text) }
    case 'tool_call': {
      const { callId, tool } = event
      return { type: 'tool_call', at, callId: id(callId), tool: id(tool), input: text(JSON.stringify(event.arguments)) }
    }
    case 'tool_result':
      return { type: 'tool_result', at, callId: id(event.callId), isError: event.isError, output: text(event.output) }
  }
}
