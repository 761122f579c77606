/** Sends webhooks: signs them as GitHub does, records them for tests, and drops, duplicates or delays them on request. */
import { createHmac, randomUUID } from 'node:crypto'
import type { FaultInjector } from './fault-injector.ts'
import type { Account, Hook } from './state.ts'

export interface Delivery {
  id: number
  /** `X-GitHub-Delivery`. A redelivery has the same one. */
  guid: string
  hookId: number
  /** Login of the owner of the repository or installation. */
  account: string
  event: string
  action: string | null
  url: string
  at: string
  /** Status of the response. Null if there was none, or if the delivery was dropped. */
  status: number | null
  isDropped: boolean
  headers: Record<string, string>
  body: string
}

/** The hook that receives an event, and the account that owns the repository or installation. */
export interface HookTarget {
  hook: Hook
  type: 'repository' | 'integration'
  id: number
  account: Account
}

const responseTimeoutMs = 10_000

export class WebhookSender {
  readonly sent: Delivery[] = []
  readonly #faults: FaultInjector
  readonly #inFlight = new Set<Promise<void>>()

  constructor(faults: FaultInjector) {
    this.#faults = faults
  }

  deliver({ hook, type, id, account }: HookTarget, event: string, payload: { action?: string }): void {
    const { drop, duplicate, maxDelayMs, random } = this.#faults.webhookFaults(account)
    const json = JSON.stringify(payload)
    const isForm = hook.contentType === 'form'
    const body = isForm ? String(new URLSearchParams({ payload: json })) : json
    const guid = randomUUID()
    const delivery: Delivery = {
      id: this.sent.length + 1,
      guid,
      hookId: hook.id,
      account: account.login,
      event,
      action: payload.action ?? null,
      url: hook.url,
      at: new Date().toISOString(),
      status: null,
      isDropped: random() < drop,
      headers: {
        accept: '*/*',
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-delivery': guid,
        'x-github-event': event,
        'x-github-hook-id': String(hook.id),
        'x-github-hook-installation-target-id': String(id),
        'x-github-hook-installation-target-type': type,
        ...(hook.secret && {
          'x-hub-signature': `sha1=${createHmac('sha1', hook.secret).update(body).digest('hex')}`,
          'x-hub-signature-256': `sha256=${createHmac('sha256', hook.secret).update(body).digest('hex')}`,
        }),
      },
      body,
    }
    this.sent.push(delivery)
    if (delivery.isDropped) return
    this.#send(delivery, random() * maxDelayMs)
    if (random() < duplicate) this.#send(delivery, random() * maxDelayMs)
  }

  redeliver(id: number): boolean {
    const delivery = this.sent.find((candidate) => candidate.id === id)
    if (delivery) this.#send(delivery, 0)
    return delivery !== undefined
  }

  #send(delivery: Delivery, delayMs: number): void {
    const sending = new Promise((resolve) => setTimeout(resolve, delayMs))
      .then(() =>
        fetch(delivery.url, {
          method: 'POST',
          headers: delivery.headers,
          body: delivery.body,
          redirect: 'manual', // GitHub does not follow redirects
          signal: AbortSignal.timeout(responseTimeoutMs),
        }),
      )
      .then(
        (response) => {
          delivery.status = response.status
          void response.body?.cancel()
        },
        () => {},
      )
      .finally(() => this.#inFlight.delete(sending))
    this.#inFlight.add(sending)
  }

  /** Resolves when all deliveries in flight have a response or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#inFlight)
  }
}
