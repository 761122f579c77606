/** Sends what is due to one endpoint: in order per job, a few requests at a time, at its rate. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Egress } from '../platform/egress/egress.ts'
import { EgressError } from '../platform/egress/egress-error.ts'
import type { Id } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import type { Mailer } from '../platform/mailer.ts'
import { countMetric } from '../platform/metrics/metrics.ts'
import { type Opener, SealedSecretError } from '../platform/sealed-secrets/sealed-secret.ts'
import type { ClaimedDelivery, DeliveryResult, DeliveryStore } from '../webhooks/delivery-store.ts'
import { composePayload, type WebhookEvent } from '../webhooks/endpoint.ts'
import { type EndpointRow, openEndpointSecrets } from '../webhooks/endpoint-store.ts'
import { describeEvent } from '../webhooks/messages/describe-event.ts'
import { composeEmailMessage } from '../webhooks/messages/email-message.ts'
import { composeSlackMessage } from '../webhooks/messages/slack-message.ts'
import { composeTeamsMessage } from '../webhooks/messages/teams-message.ts'
import { signWebhook } from '../webhooks/sign-webhook.ts'
import { postToWebhook } from './post-to-webhook.ts'

export interface WebhookActivities {
  /** Returns after how many milliseconds something is due again, or null if nothing waits. */
  deliverDue(endpointId: string): Promise<number | null>
}

export interface WebhookActivityDeps {
  deliveries: DeliveryStore
  opener: Opener
  egress: Egress
  /** Undefined: the instance cannot send email. */
  mailer: Mailer | undefined
  publicUrl: string | undefined
  readProjectName(projectId: Id<'prj'>): Promise<string>
  isMember(projectId: Id<'prj'>, email: string): Promise<boolean>
  /** Tells Temporal that the activity is still running. */
  sendHeartbeat(): void
  log: Log
}

const maxConcurrentPerEndpoint = 5
/** Then other endpoints have a turn. The workflow calls again at once. */
const maxRoundMs = 15_000
const userAgent = 'Colophon-Webhooks'

export function createWebhookActivities(deps: WebhookActivityDeps): WebhookActivities {
  const { deliveries, log } = deps
  return {
    async deliverDue(id) {
      const endpointId = id as Id<'end'>
      const holder = crypto.randomUUID()
      const endpoint = await deliveries.acquireLease(endpointId, holder)
      if (endpoint)
        try {
          await sendDue(endpoint, holder)
        } finally {
          await deliveries.releaseLease(endpointId, holder)
        }
      return deliveries.readNextDelayMs(endpointId)
    },
  }

  async function sendDue(endpoint: EndpointRow, holder: string): Promise<void> {
    const endAtMs = performance.now() + maxRoundMs
    const intervalMs = 1000 / endpoint.max_per_second
    const inFlight = new Set<Promise<void>>()
    const send = await createSender(endpoint, deps)
    let failure: unknown
    while (performance.now() < endAtMs && failure === undefined) {
      deps.sendHeartbeat()
      const free = maxConcurrentPerEndpoint - inFlight.size
      const claimed = await deliveries.claimDue(endpoint.id, holder, {
        limit: Math.min(free, Math.max(1, Math.round(endpoint.max_per_second / 4))),
        inFlight: inFlight.size,
      })
      if (claimed === undefined || (claimed.length === 0 && inFlight.size === 0)) break
      for (const delivery of claimed) {
        const sending = deliverOne(endpoint, delivery, send)
          .catch((error: unknown) => {
            failure ??= error
          })
          .finally(() => inFlight.delete(sending))
        inFlight.add(sending)
        await sleep(intervalMs)
      }
      if (inFlight.size >= maxConcurrentPerEndpoint || claimed.length === 0) await Promise.race(inFlight)
    }
    await Promise.all(inFlight)
    if (failure !== undefined) throw failure
  }

  async function deliverOne(endpoint: EndpointRow, delivery: ClaimedDelivery, send: Send): Promise<void> {
    const startedAtMs = performance.now()
    const outcome = await send(delivery.event)
    const result = { ...outcome, durationMs: performance.now() - startedAtMs }
    await deliveries.recordResult(endpoint.id, delivery, result)
    countMetric('colophon_webhook_attempts_total', {
      kind: endpoint.kind,
      result: result.error === null ? 'delivered' : 'failed',
    })
    if (result.error !== null)
      log.info({ endpointId: endpoint.id, deliveryId: delivery.id, error: result.error }, 'could not deliver an event')
  }
}

type Outcome = Omit<DeliveryResult, 'durationMs'>
/** Never throws for what the receiver does. */
type Send = (event: WebhookEvent) => Promise<Outcome>

async function createSender(endpoint: EndpointRow, deps: WebhookActivityDeps): Promise<Send> {
  const { egress, opener, publicUrl } = deps
  const secrets = await openEndpointSecrets(endpoint, opener).catch((error: unknown) => {
    if (!(error instanceof SealedSecretError)) throw error
    deps.log.error({ endpointId: endpoint.id, error: error.message }, 'could not open the secret of an endpoint')
  })
  if (!secrets) return async () => ({ ...noResponse, error: secretNotOpened })
  const describe = async (event: WebhookEvent) =>
    describeEvent(event, { projectName: await deps.readProjectName(endpoint.project_id), publicUrl })
  const post = (url: string, body: string, headers: Record<string, string> = {}) =>
    toOutcome(
      postToWebhook(egress, url, {
        headers: { 'content-type': 'application/json', 'user-agent': userAgent, ...headers },
        body,
      }),
    )
  switch (endpoint.kind) {
    case 'webhook':
      return (event) => {
        const body = composePayload(event)
        return post(endpoint.target, body, signWebhook({ id: event.id, at: new Date(), body }, secrets))
      }
    case 'slack':
      return async (event) => post(secrets[0] ?? '', JSON.stringify(composeSlackMessage(await describe(event))))
    case 'teams':
      return async (event) => post(secrets[0] ?? '', JSON.stringify(composeTeamsMessage(await describe(event))))
    case 'email':
      return async (event) => sendEmail(endpoint, composeEmailMessage(await describe(event)), deps)
  }
}

async function toOutcome(call: ReturnType<typeof postToWebhook>): Promise<Outcome> {
  try {
    const { status, beginning } = await call
    const error = describeStatus(status)
    const disable = status === 410 ? ({ disable: 'gone' } as const) : {}
    return { responseStatus: status, responseBeginning: beginning, error, ...disable }
  } catch (error) {
    return { ...noResponse, error: error instanceof EgressError ? error.message : 'The request could not be sent.' }
  }
}

const secretNotOpened =
  'The secret of the endpoint could not be opened. Ask an administrator to check the sealing keys, or create a new endpoint.'
const noResponse = { responseStatus: null, responseBeginning: null }

/** Null: the endpoint has accepted the event. */
function describeStatus(status: number): string | null {
  if (status >= 200 && status <= 299) return null
  if (status >= 300 && status <= 399)
    return `The endpoint responded with the redirect ${status}, which is not followed. Create an endpoint with the new URL.`
  return `The endpoint responded with ${status}.`
}

async function sendEmail(
  { project_id, target }: EndpointRow,
  email: { subject: string; text: string },
  { mailer, isMember }: WebhookActivityDeps,
): Promise<Outcome> {
  if (!(await isMember(project_id, target)))
    return { ...noResponse, error: 'The address is not one of a member.', disable: 'recipient_left' }
  if (!mailer) return { ...noResponse, error: 'The worker has no SMTP server. Set COLOPHON_SMTP_URL for it.' }
  try {
    await mailer.send({ to: target, ...email })
    return { ...noResponse, error: null }
  } catch {
    return { ...noResponse, error: 'The SMTP server did not accept the email.' }
  }
}
