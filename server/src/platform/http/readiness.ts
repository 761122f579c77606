/** What works and what does not, part by part, as `/readyz` tells it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'

/** Shown to everybody, so never an address or a driver's words: those are in the log. */
export const failureReasons = [
  'unreachable',
  'timeout',
  'read_only',
  'disk_full',
  'namespace_missing',
  'migrations_pending',
] as const
type FailureReason = (typeof failureReasons)[number]

export class NotReady extends Error {
  readonly reason: FailureReason
  constructor(reason: FailureReason, message: string = reason) {
    super(message)
    this.reason = reason
  }
}

export interface PartCheck {
  /** Essential: without it the process can do nothing, and load balancers should look elsewhere. */
  essential: boolean
  /** Returns when the part works; throws, `NotReady` where the reason is known, when it does not. */
  check: () => Promise<void>
}

export type ComponentStatus = { status: 'ok'; latencyMs: number } | { status: 'failing'; reason: FailureReason }

/** `degraded`: something is away, but requests are taken all the same. */
export const readinessStatuses = ['ready', 'degraded', 'not_ready', 'stopping'] as const

export interface ReadinessReport {
  status: (typeof readinessStatuses)[number]
  components: Record<string, ComponentStatus>
}

const checkWithinMs = 2_000
const reportGoodForMs = 1_000 // whoever asks more often shares one answer: asking is no way to load the engines

export class Readiness {
  readonly #checks: Readonly<Record<string, PartCheck>>
  readonly #log: Log
  readonly #lastStatus = new Map<string, ComponentStatus['status']>()
  #latest: { at: number; parts: Promise<Record<string, ComponentStatus>> } | undefined
  #stopping = false

  constructor(checks: Readonly<Record<string, PartCheck>>, log: Log) {
    this.#checks = checks
    this.#log = log
  }

  stopping(): void {
    this.#stopping = true
  }

  async report(): Promise<ReadinessReport> {
    if (!this.#latest || performance.now() - this.#latest.at > reportGoodForMs) {
      this.#latest = { at: performance.now(), parts: this.#checkAll() }
    }
    const parts = await this.#latest.parts
    if (this.#stopping) return { status: 'stopping', components: parts }
    const failing = Object.keys(parts).filter((name) => parts[name]?.status === 'failing')
    if (failing.some((name) => this.#checks[name]?.essential)) return { status: 'not_ready', components: parts }
    return { status: failing.length > 0 ? 'degraded' : 'ready', components: parts }
  }

  async #checkAll(): Promise<Record<string, ComponentStatus>> {
    const names = Object.entries(this.#checks)
    return Object.fromEntries(
      await Promise.all(names.map(async ([name, part]) => [name, await this.#check(name, part)])),
    )
  }

  async #check(name: string, { check }: PartCheck): Promise<ComponentStatus> {
    const startedAt = performance.now()
    try {
      await Promise.race([check(), sleep(checkWithinMs, undefined, { ref: false }).then(refuseSlow)])
      this.#note(name, 'ok')
      return { status: 'ok', latencyMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      this.#note(name, 'failing', error)
      return { status: 'failing', reason: error instanceof NotReady ? error.reason : 'unreachable' }
    }
  }

  /** One line when a part goes and one when it comes back, not one per question. */
  #note(name: string, status: ComponentStatus['status'], error?: unknown): void {
    const before = this.#lastStatus.get(name)
    this.#lastStatus.set(name, status)
    if (before === status || (before === undefined && status === 'ok')) return
    if (status === 'ok') this.#log.info({ part: name }, 'part works again')
    else
      this.#log.warn(
        { part: name, error: error instanceof Error ? error.message : String(error) },
        'part does not work',
      )
  }
}

function refuseSlow(): never {
  throw new NotReady('timeout', `no answer within ${checkWithinMs} ms`)
}
