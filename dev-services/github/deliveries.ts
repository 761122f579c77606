/** Webhooks on their way out: signed as GitHub signs them, kept for whoever asks, and as unreliable as they are told to be. */
import { createHmac, randomUUID } from 'node:crypto'
import type { Faults } from './faults.ts'
import type { Account, Hook } from './state.ts'

export interface Delivery {
  id: number
  /** What the receiver sees: the same when it is sent again. */
  guid: string
  hookId: number
  /** Of the repository or the installation. */
  account: string
  event: string
  action: string | null
  url: string
  at: string
  /** Of the answer; null: none came, or it was never sent. */
  status: number | null
  isDropped: boolean
  headers: Record<string, string>
  body: string
}

/** Whose repository or installation it is about, and which hook listens. */
export interface HookTarget {
  hook: Hook
  type: 'repository' | 'integration'
  id: number
  account: Account
}

const responseTimeoutMs = 10_000

export class Deliveries {
  readonly sent: Delivery[] = []
  readonly #faults: Faults
  readonly #underWay = new Set<Promise<void>>()

  constructor(faults: Faults) {
    this.#faults = faults
  }

  deliver({ hook, type, id, account }: HookTarget, event: string, payload: { action?: string }): void {
    const { drop, double, maxDelayMs, random } = this.#faults.ofWebhooks(account)
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
    if (random() < double) this.#send(delivery, random() * maxDelayMs)
  }

  redeliver(id: number): boolean {
    const delivery = this.sent.find((one) => one.id === id)
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
          redirect: 'manual', // GitHub follows none
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
      .finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
  }

  /** When all that were sent have been answered or given up. */
  async settled(): Promise<void> {
    await Promise.all(this.#underWay)
  }
}
