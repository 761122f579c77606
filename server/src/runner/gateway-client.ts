/** The client of the runner API. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Compile } from 'typebox/compile'
import { completeClaimedTurn } from '../runner-wire/complete-claimed-turn.ts'
import {
  ClaimedTurn,
  type EventUpload,
  encodeReport,
  RunnerDescription,
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

  /** The attempt has ended, or another runner has the turn. For a claim: the runner token is not valid. */
  get isAttemptLost(): boolean {
    return [401, 403, 404, 409, 410].includes(this.status)
  }

  /** The gateway rejected the request and would reject it again. */
  get isPermanent(): boolean {
    return this.status >= 400 && this.status < 500 && ![408, 425, 429].includes(this.status)
  }
}

/** What became of a report. `lost`: the attempt was no longer valid. `abandoned`: the gateway could not be reached in time. */
export type ReportDeliveryOutcome = 'accepted' | 'lost' | 'rejected' | 'abandoned'

const waitSeconds = 20
const responseTimeoutMs = 15_000
const reportTimeoutMs = 120_000
/** How long to retry a report while the gateway is unavailable: about as long as another runner would need for the turn. */
const maxRetryMs = 10 * 60_000

const claimedTurn = Compile(ClaimedTurn)
const runnerDescription = Compile(RunnerDescription)

const otherVersionError = () =>
  new GatewayError(
    502,
    'The gateway and this runner have different versions: update both to the same version, the worker first.',
  )

interface Body {
  type: string
  bytes: Uint8Array<ArrayBuffer> | string
}
const toJson = (value: object): Body => ({ type: 'application/json', bytes: JSON.stringify(value) })

export class GatewayClient {
  readonly #url: string
  readonly #token: string
  readonly #processId = randomUUID()

  constructor({ gatewayUrl, token }: { gatewayUrl: string; token: string }) {
    this.#url = gatewayUrl
    this.#token = token
  }

  async describeRunner(signal: AbortSignal): Promise<RunnerDescription> {
    const timeout = AbortSignal.timeout(responseTimeoutMs)
    const response = await this.#call('self', this.#token, undefined, AbortSignal.any([signal, timeout])).catch(
      (error: unknown) => {
        throw error instanceof GatewayError && error.status === 404 ? otherVersionError() : error
      },
    )
    const description: unknown = await response.json()
    if (runnerDescription.Check(description)) return description
    throw otherVersionError()
  }

  /** Undefined: no turn was queued within the waiting time. */
  async claim(signal: AbortSignal): Promise<ClaimedTurn | undefined> {
    const claim = (request: object) => {
      const timeout = AbortSignal.timeout(waitSeconds * 1000 + responseTimeoutMs)
      return this.#call('claim', this.#token, toJson(request), AbortSignal.any([signal, timeout]))
    }
    const response = await claim({ waitSeconds, processId: this.#processId }).catch((error: unknown) => {
      if (error instanceof GatewayError && error.status === 400) return claim({ waitSeconds }) // a gateway of 0.1.0
      throw error
    })
    if (response.status === 204) return undefined
    const turn = completeClaimedTurn(await response.json())
    if (claimedTurn.Check(turn)) return turn
    throw otherVersionError()
  }

  /** The stop reason may be one that this version does not know. */
  async upload(attemptToken: string, upload: EventUpload, signal: AbortSignal): Promise<{ stop: string | null }> {
    const response = await this.#call('events', attemptToken, toJson(upload), signal)
    const { stop } = (await response.json()) as { stop?: unknown }
    return { stop: typeof stop === 'string' ? stop : null }
  }

  /** Retries while the gateway is unavailable, until `giveUp` is aborted. */
  async report(attemptToken: string, report: TurnReport, giveUp: AbortSignal): Promise<ReportDeliveryOutcome> {
    const stopRetrying = AbortSignal.any([giveUp, AbortSignal.timeout(maxRetryMs)])
    const body = { type: reportMediaType, bytes: encodeReport(report) }
    for (let backoffMs = 500; !stopRetrying.aborted; backoffMs = Math.min(backoffMs * 2, 10_000)) {
      try {
        const signal = AbortSignal.any([stopRetrying, AbortSignal.timeout(reportTimeoutMs)])
        await this.#call('result', attemptToken, body, signal)
        return 'accepted'
      } catch (error) {
        // After a lost response the attempt has ended, and the retry gets this error: the report may have been accepted.
        if (error instanceof GatewayError && error.isAttemptLost) return 'lost'
        if (error instanceof GatewayError && error.isPermanent) return 'rejected'
        await sleep(backoffMs, undefined, { signal: stopRetrying }).catch(() => {})
      }
    }
    return 'abandoned'
  }

  /** A GET request if there is no body. */
  async #call(path: string, token: string, body: Body | undefined, signal: AbortSignal): Promise<Response> {
    const response = await fetch(new URL(`/runner/${path}`, this.#url), {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': body.type }) },
      body: body?.bytes ?? null,
      redirect: 'error',
      signal,
    }).catch((error: Error) => {
      // The message of `fetch` itself only says that it failed; the cause has the reason.
      throw new Error(
        `The gateway cannot be reached: ${error.cause instanceof Error ? error.cause.message : error.message}`,
      )
    })
    if (response.ok) return response
    await response.body?.cancel()
    throw new GatewayError(response.status, `The gateway responded with ${response.status} to ${path}.`)
  }
}
