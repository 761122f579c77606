/** Records who signs in to the instance, and who fails to. */
import type { AuditedRequest, AuditStore, InstanceAuditAction } from '../../audit/audit-store.ts'
import type { Person } from '../../people/session.ts'
import type { Log } from '../../platform/log.ts'
import { countMetric } from '../../platform/metrics/metrics.ts'
import type { HttpRequestDetails } from '../route.ts'

export type SignInMethod =
  | 'password'
  | 'passkey'
  | 'provider'
  | 'invitation'
  | 'password_link'
  | 'owner_link'
  | 'second_factor'

type FailedSignIn =
  | { email: string }
  | { method: 'passkey'; email?: string }
  | { provider: string }
  | { step: 'second_factor' }

/** An attacker must not be able to fill the disk. The log has every request. */
const maxFailuresPerHour = 1_000
const hourMs = 3_600_000

export class SignInAudit {
  readonly #audit: AuditStore
  readonly #log: Log
  #failures = { hour: 0, count: 0 }

  constructor(audit: AuditStore, log: Log) {
    this.#audit = audit
    this.#log = log
  }

  async recordStart(
    person: Pick<Person, 'id' | 'email'>,
    method: SignInMethod,
    http: HttpRequestDetails,
  ): Promise<void> {
    countMetric('colophon_sign_ins_total', { method })
    const actor = { kind: 'person', email: person.email, ...toAuditedRequest(http) } as const
    await this.#audit.recordInstanceEvent(actor, { action: 'session.started', subject: person.id, detail: { method } })
  }

  async record(
    person: Pick<Person, 'id' | 'email'>,
    action: Extract<InstanceAuditAction, `session.${string}ended` | `password.${string}` | `second_factor.${string}`>,
    http: HttpRequestDetails,
  ): Promise<void> {
    const actor = { kind: 'person', email: person.email, ...toAuditedRequest(http) } as const
    await this.#audit.recordInstanceEvent(actor, { action, subject: person.id, detail: {} })
  }

  /** `detail`: the email address that was entered or has the passkey, or what the provider reported. */
  async recordFailure(detail: FailedSignIn, http: HttpRequestDetails): Promise<void> {
    countMetric('colophon_sign_in_failures_total', { method: failedMethod(detail) })
    const hour = Math.floor(Date.now() / hourMs)
    if (this.#failures.hour !== hour) this.#failures = { hour, count: 0 }
    this.#failures.count += 1
    if (this.#failures.count === maxFailuresPerHour)
      this.#log.warn({ maxFailuresPerHour }, 'further failed sign-ins of this hour are in the request log only')
    if (this.#failures.count >= maxFailuresPerHour) return
    const actor = { kind: 'anonymous', ...toAuditedRequest(http) } as const
    await this.#audit.recordInstanceEvent(actor, { action: 'session.failed', subject: 'instance', detail })
  }
}

function failedMethod(detail: FailedSignIn) {
  if ('method' in detail) return detail.method
  if ('provider' in detail) return 'provider'
  return 'step' in detail ? detail.step : 'password'
}

export const toAuditedRequest = ({ requestId, ipAddress }: HttpRequestDetails): AuditedRequest => ({
  requestId,
  ipAddress,
})
