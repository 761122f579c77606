/**
 * Views are loaded only when PostgreSQL's standbys have them. If a failover loses them together with the record of their idempotency
 * key, the sender repeats them, and they would be counted twice if ClickHouse had them already.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import type { Log } from '../../platform/log.ts'

const pollMs = 50

/** A standby that is further behind, or has disconnected for longer, must not stop the counting. */
const maxWaitMs = 30_000
const ignoreLagForMs = 600_000

export interface StandbyWaitLimits {
  maxWaitMs: number
  ignoreLagForMs: number
}

export class StandbyWait {
  readonly #client: ClientBase
  readonly #log: Log
  readonly #limits: StandbyWaitLimits
  /** A failover may be in progress if standbys were connected and are not anymore. */
  #connectedAtMs = Number.NEGATIVE_INFINITY
  #ignoreLagUntilMs = Number.NEGATIVE_INFINITY

  /** The connection must be the one that reads the views: another one may lead to another server. */
  constructor(client: ClientBase, log: Log, limits: StandbyWaitLimits = { maxWaitMs, ignoreLagForMs }) {
    this.#client = client
    this.#log = log
    this.#limits = limits
  }

  /** Returns when all standbys that are connected have what this connection has read until now. At once, if there are none. */
  async wait(): Promise<void> {
    const startedAtMs = performance.now()
    const { rows } = await this.#client.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')
    const lsn = rows[0]?.lsn ?? ''
    while (!(await this.#haveReached(lsn)) && performance.now() > this.#ignoreLagUntilMs) {
      if (performance.now() - startedAtMs < this.#limits.maxWaitMs) await sleep(pollMs)
      else {
        this.#ignoreLagUntilMs = performance.now() + this.#limits.ignoreLagForMs
        this.#log.warn('loading views although a standby of PostgreSQL is behind: a failover could count them twice')
      }
    }
  }

  /** Without the privilege to see standbys, their state is null, and nothing waits for them. */
  async #haveReached(lsn: string): Promise<boolean> {
    const { rows } = await this.#client.query<{ standbys: number; are_behind: boolean }>(
      `SELECT count(*)::int AS standbys, coalesce(bool_or(flush_lsn IS NULL OR flush_lsn < $1::pg_lsn), false) AS are_behind
       FROM pg_stat_replication WHERE state = 'streaming'`,
      [lsn],
    )
    const { standbys = 0, are_behind: areBehind = false } = rows[0] ?? {}
    const nowMs = performance.now()
    if (standbys > 0) this.#connectedAtMs = nowMs
    return standbys > 0 ? !areBehind : nowMs - this.#connectedAtMs > this.#limits.maxWaitMs
  }
}
