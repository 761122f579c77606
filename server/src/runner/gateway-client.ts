/** The runner's side of the runner API. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import {
  ClaimedTurn,
  type EventUpload,
  encodeReport,
  reportMediaType,
  type TurnReport,
} from '../runner-wire/runner-wire.ts'

export class GatewayError extends Error {
  override name = 'GatewayError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }

  /** The try is over, or another runner has the turn. */
  get isNotOurs(): boolean {
    return [401, 403, 404, 409, 410].includes(this.status)
  }

  /** It did not like what it got, and would not like it better the next time. */
  get isFinal(): boolean {
    return this.status >= 400 && this.status < 500 && ![408, 425, 429].includes(this.status)
  }
}

export type Delivery = 'kept' | 'not_ours' | 'refused' | 'given_up'

const waitSeconds = 20
const responseTimeoutMs = 15_000
const reportWithinMs = 120_000
/** How long a finished turn is worth keeping while the gateway is away: about as long as another runner would need for it. */
const keepTryingMs = 10 * 60_000

const claimedTurn = Compile(ClaimedTurn)

interface Body {
  type: string
  bytes: Uint8Array<ArrayBuffer> | string
}
const asJson = (value: object): Body => ({ type: 'application/json', bytes: JSON.stringify(value) })

export class GatewayClient {
  readonly #url: string
  readonly #token: string

  constructor({ gatewayUrl, token }: { gatewayUrl: string; token: string }) {
    this.#url = gatewayUrl
    this.#token = token
  }

  /** Undefined: there was nothing to do for a while. */
  async claim(signal: AbortSignal): Promise<ClaimedTurn | undefined> {
    const within = AbortSignal.timeout(waitSeconds * 1000 + responseTimeoutMs)
    const response = await this.#post('claim', this.#token, asJson({ waitSeconds }), AbortSignal.any([signal, within]))
    if (response.status === 204) return undefined
    const turn: unknown = await response.json()
    if (claimedTurn.Check(turn)) return turn
    throw new GatewayError(502, 'The gateway speaks another version than this runner: bring both to the same.')
  }

  /** What it says to stop for may be a word that this version does not know. */
  async upload(attemptToken: string, upload: EventUpload, signal: AbortSignal): Promise<{ stop: string | null }> {
    const response = await this.#post('events', attemptToken, asJson(upload), signal)
    const { stop } = (await response.json()) as { stop?: unknown }
    return { stop: typeof stop === 'string' ? stop : null }
  }

  /** Tries again while the gateway is away, until `giveUp` says so. */
  async report(attemptToken: string, report: TurnReport, giveUp: AbortSignal): Promise<Delivery> {
    const tries = AbortSignal.any([giveUp, AbortSignal.timeout(keepTryingMs)])
    const body = { type: reportMediaType, bytes: encodeReport(report) }
    for (let waitMs = 500; !tries.aborted; waitMs = Math.min(waitMs * 2, 10_000)) {
      try {
        const within = AbortSignal.any([tries, AbortSignal.timeout(reportWithinMs)])
        await this.#post('result', attemptToken, body, within)
        return 'kept'
      } catch (error) {
        // After a lost answer the try is over, and the next one hears that: it may well have been kept.
        if (error instanceof GatewayError && error.isNotOurs) return 'not_ours'
        if (error instanceof GatewayError && error.isFinal) return 'refused'
        await sleep(waitMs, undefined, { signal: tries }).catch(() => {})
      }
    }
    return 'given_up'
  }

  async #post(path: string, token: string, { type, bytes }: Body, signal: AbortSignal): Promise<Response> {
    const response = await fetch(new URL(`/runner/${path}`, this.#url), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: bytes,
      redirect: 'error',
      signal,
    }).catch((error: Error) => {
      // `fetch` itself says that it failed, and no more.
      throw new Error(
        `The gateway cannot be reached: ${error.cause instanceof Error ? error.cause.message : error.message}`,
      )
    })
    if (response.ok) return response
    await response.body?.cancel()
    throw new GatewayError(response.status, `The gateway answered ${response.status} to ${path}.`)
  }
}
