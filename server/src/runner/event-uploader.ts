/** Uploads the agent's events for people who follow the job. Each upload is also the runner's heartbeat. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentEvent } from '../runner-wire/runner-wire.ts'
import type { AgentRunEvent } from './agents/coding-agent.ts'
import { type GatewayClient, GatewayError } from './gateway-client.ts'
import { truncateText } from './sandbox/terminal-text.ts'

export interface EventUploaderOptions {
  gateway: GatewayClient
  attemptToken: string
  heartbeatSeconds: number
  /** With the gateway's reason. */
  onStop(reason: string): void
  /** The attempt is no longer valid. */
  onLost(): void
}

const uploadIntervalMs = 1_000
const minUploadTimeoutMs = 2_000
const retryDelayMs = 250
const maxEventsPerUpload = 500
const maxUploadBytes = 1024 * 1024
/** The gateway does not keep more per attempt either. */
const maxTotalBytes = 20 * 1024 * 1024
const maxTextCharacters = 60_000
const maxIdCharacters = 200

export class EventUploader implements AsyncDisposable {
  readonly #options: EventUploaderOptions
  readonly #heartbeatIntervalMs: number
  readonly #timer: NodeJS.Timeout
  #pending: { event: AgentEvent; sizeBytes: number }[] = []
  #bytesLeft = maxTotalBytes
  /** Sent but not confirmed. Sent again unchanged, because the gateway may have them and only its response was lost. */
  #sent: AgentEvent[] = []
  #firstIndex = 0
  #uploading: Promise<boolean> | undefined
  #confirmedAtMs = performance.now()
  readonly #closed = new AbortController()

  constructor(options: EventUploaderOptions) {
    this.#options = options
    this.#heartbeatIntervalMs = (options.heartbeatSeconds * 1000) / 2
    this.#timer = setInterval(() => this.#tick(), Math.min(uploadIntervalMs, this.#heartbeatIntervalMs))
  }

  add(event: AgentRunEvent): void {
    if (this.#bytesLeft <= 0) return
    const entry = this.#toEntry(event)
    this.#bytesLeft -= entry.sizeBytes
    this.#pending.push(entry)
    if (this.#bytesLeft <= 0)
      this.#pending.push(
        this.#toEntry({ kind: 'notice', text: 'Further events are not shown: the limit for one attempt is reached.' }),
      )
  }

  /** Sends the remaining events and asks once more whether to stop. Gives up at `until` if the gateway cannot be reached. */
  async flush(until: AbortSignal): Promise<void> {
    const timedOut = new Promise((resolve) => {
      until.addEventListener('abort', resolve)
      if (until.aborted) resolve(undefined)
    })
    await Promise.race([this.#uploading, timedOut]) // its response may predate a stop
    do {
      const uploaded = await Promise.race([this.#upload(), timedOut])
      if (uploaded === false) await Promise.race([sleep(retryDelayMs), timedOut])
    } while ((this.#sent.length > 0 || this.#pending.length > 0) && !this.#closed.signal.aborted && !until.aborted)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#closed.abort()
    await this.#uploading
  }

  #tick(): void {
    const isHeartbeatDue = performance.now() - this.#confirmedAtMs >= this.#heartbeatIntervalMs
    if (isHeartbeatDue || this.#sent.length > 0 || this.#pending.length > 0) void this.#upload()
  }

  /** One at a time. False: it failed, or it is not known whether it arrived. */
  #upload(): Promise<boolean> {
    this.#uploading ??= this.#send().finally(() => {
      this.#uploading = undefined
    })
    return this.#uploading
  }

  async #send(): Promise<boolean> {
    if (this.#closed.signal.aborted) return false
    const { gateway, attemptToken, heartbeatSeconds, onStop, onLost } = this.#options
    if (this.#sent.length === 0) this.#sent = this.#takeBatch()
    const timeout = AbortSignal.timeout(Math.max(minUploadTimeoutMs, heartbeatSeconds * 1000))
    try {
      const upload = { firstIndex: this.#firstIndex, events: this.#sent }
      const { stop } = await gateway.upload(attemptToken, upload, AbortSignal.any([timeout, this.#closed.signal]))
      this.#firstIndex += this.#sent.length
      this.#sent = []
      this.#confirmedAtMs = performance.now()
      if (stop !== null) onStop(stop)
      return true
    } catch (error) {
      if (!(error instanceof GatewayError)) return false
      if (error.isAttemptLost) {
        this.#closed.abort()
        onLost()
      } else if (error.isPermanent) this.#sent = [] // the gateway rejects these events: dropping them is better than losing the turn
      return false
    }
  }

  #takeBatch(): AgentEvent[] {
    const batch: AgentEvent[] = []
    let bytesLeft = maxUploadBytes
    for (const { event, sizeBytes } of this.#pending) {
      bytesLeft -= sizeBytes
      if (batch.length === maxEventsPerUpload || (batch.length > 0 && bytesLeft < 0)) break
      batch.push(event)
    }
    this.#pending = this.#pending.slice(batch.length)
    return batch
  }

  #toEntry(event: AgentRunEvent) {
    const wireEvent = toAgentEvent(event, new Date().toISOString())
    return { event: wireEvent, sizeBytes: Buffer.byteLength(JSON.stringify(wireEvent)) }
  }
}

function toAgentEvent(event: AgentRunEvent, at: string): AgentEvent {
  const text = (value: string) => truncateText(value, maxTextCharacters)
  const id = (value: string) => value.slice(0, maxIdCharacters).toWellFormed()
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
