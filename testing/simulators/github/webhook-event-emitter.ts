/** Sends events to the webhooks that are subscribed to them. */

import type { ApiDescription } from './api-description.ts'
import { accountResponse, nodeId } from './responses/account.ts'
import { repositoryResponse } from './responses/repository.ts'
import type { Account, Installation, Repository, State } from './state.ts'
import type { HookTarget, WebhookSender } from './webhook-sender.ts'

/** The simulator's state, and its event emitter. */
export interface SimulatorContext {
  state: State
  events: WebhookEventEmitter
}

type Payload = { action?: string } & Record<string, unknown>

export class WebhookEventEmitter {
  readonly #state: State
  readonly #description: ApiDescription
  readonly #deliveries: WebhookSender

  constructor(state: State, description: ApiDescription, deliveries: WebhookSender) {
    this.#state = state
    this.#description = description
    this.#deliveries = deliveries
  }

  /** Sends an event to the repository's hooks and to the Apps that are installed on it. */
  emitRepositoryEvent(repository: Repository, event: string, sender: Account, payload: Payload): void {
    const { owner } = repository
    const fullPayload = {
      ...payload,
      repository: { ...repositoryResponse(this.#state, repository), custom_properties: {} },
      ...(owner.type === 'Organization' && { organization: this.#organization(owner) }),
      sender: accountResponse(this.#state, sender),
    }
    for (const hook of repository.hooks) {
      if (isSubscribed(hook.events, event))
        this.#send({ hook, type: 'repository', id: repository.id, account: owner }, event, fullPayload)
    }
    for (const installation of this.#state.installationsOf(repository)) {
      const { app, suspendedAt } = installation
      if (suspendedAt || !isSubscribed(app.events, event)) continue
      const appPayload = {
        ...fullPayload,
        installation: { id: installation.id, node_id: nodeId('Installation', installation.id) },
      }
      this.#send({ hook: app.webhook, type: 'integration', id: app.id, account: owner }, event, appPayload)
    }
  }

  /** Sends an event to the installation's App, which receives events about its installations without a subscription. */
  emitInstallationEvent({ app, account }: Installation, event: string, payload: Payload): void {
    this.#send({ hook: app.webhook, type: 'integration', id: app.id, account }, event, payload)
  }

  emitPing(target: HookTarget, payload: Payload): void {
    this.#send(target, 'ping', payload)
  }

  #send(target: HookTarget, event: string, payload: Payload): void {
    if (!target.hook.isActive) return
    const reasons = this.#description.validateEvent(event, payload.action, JSON.parse(JSON.stringify(payload)))
    if (reasons.length > 0) {
      this.#state.violations.push({ source: 'event', what: [event, payload.action].join(' '), reasons })
      return
    }
    this.#deliveries.deliver(target, event, payload)
  }

  #organization({ id, login }: Account) {
    const url = `${this.#state.apiUrl}/orgs/${login}`
    return {
      login,
      id,
      node_id: nodeId('Organization', id),
      url,
      repos_url: `${url}/repos`,
      events_url: `${url}/events`,
      hooks_url: `${url}/hooks`,
      issues_url: `${url}/issues`,
      members_url: `${url}/members{/member}`,
      public_members_url: `${url}/public_members{/member}`,
      avatar_url: `${this.#state.url}/avatars/u/${id}?v=4`,
      description: null,
    }
  }
}

const isSubscribed = (events: readonly string[], event: string) => events.includes('*') || events.includes(event)
