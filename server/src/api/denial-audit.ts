/**
 * Records attempts to do what someone has no right to. The same attempt is recorded once an hour, so that a script with a
 * wrong key does not fill the audit log.
 */
import { type AuditedActor, type AuditStore, formatActor } from '../audit/audit-store.ts'
import type { AuditedProject } from '../audit/tables.ts'
import type { Problem } from '../platform/http/problem.ts'
import type { Log } from '../platform/log.ts'

const repeatAfterMs = 3_600_000
const maxRemembered = 10_000

export interface Denial {
  route: string
  problem: Problem
  /** From a closed list, if the code of the problem does not say it. */
  reason?: string
  /** Not part of what makes two attempts the same. */
  detail?: Readonly<Record<string, unknown>>
}

export class DenialAudit {
  readonly #audit: AuditStore
  readonly #log: Log
  readonly #recordedAtMs = new Map<string, number>()

  constructor(audit: AuditStore, log: Log) {
    this.#audit = audit
    this.#log = log
  }

  record(projectId: AuditedProject, actor: AuditedActor, { route, problem, reason, detail = {} }: Denial): void {
    const attempt = [formatActor(actor), projectId, route, problem.code, reason].join(' ')
    const now = performance.now()
    const recordedAtMs = this.#recordedAtMs.get(attempt)
    if (recordedAtMs !== undefined && now - recordedAtMs < repeatAfterMs) return
    if (this.#recordedAtMs.size >= maxRemembered) this.#recordedAtMs.clear()
    this.#recordedAtMs.set(attempt, now)
    // Not awaited: the response does not depend on it, and the request log has the attempt as well.
    this.#audit
      .recordDenial(projectId, actor, { route, code: problem.code, ...(reason !== undefined && { reason, ...detail }) })
      .catch((error: unknown) => this.#log.warn({ error: String(error) }, 'could not record a denied request'))
  }
}
