/** Which components of the process work, as `/readyz` reports it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { LabelsOf } from '../metrics/catalog.ts'
import { setMetric } from '../metrics/metrics.ts'

/** Public, so never an address or a driver's message: those are in the log. */
export const componentFailureReasons = [
  'unreachable',
  'timeout',
  'read_only',
  'disk_full',
  'namespace_missing',
  'migrations_pending',
  'version_too_old',
  'restore_unfinished',
] as const
type FailureReason = (typeof componentFailureReasons)[number]

export class ComponentNotReadyError extends Error {
  readonly reason: FailureReason
  constructor(reason: FailureReason, message: string = reason) {
    super(message)
    this.reason = reason
  }
}

type ComponentName = LabelsOf<'colophon_component_up'>['component']
export type ComponentChecks = Readonly<Partial<Record<ComponentName, ComponentCheck>>>

export interface ComponentCheck {
  /** Without an essential component the process can do nothing, and load balancers should route elsewhere. */
  essential: boolean
  /** Resolves when the component works and throws when it does not: `NotReady` where the reason is known. */
  check: () => Promise<void>
}

export type ComponentStatus = { status: 'ok'; latencyMs: number } | { status: 'failing'; reason: FailureReason }

/** `degraded`: a component fails, but the process accepts requests. */
export const readinessStatuses = ['ready', 'degraded', 'not_ready', 'stopping'] as const

/** What an operator should change, although everything works. */
export const readinessWarnings = ['untrusted_proxy'] as const
type ReadinessWarning = (typeof readinessWarnings)[number]

export interface ReadinessReport {
  status: (typeof readinessStatuses)[number]
  components: Record<string, ComponentStatus>
  warnings: ReadinessWarning[]
}

const checkTimeoutMs = 2_000
const showWarningForMs = 10 * 60_000
const reportCacheMs = 1_000 // more frequent requests share one report, so that they cannot overload the services

export class Readiness {
  readonly #checks: ComponentChecks
  readonly #log: Log
  readonly #lastStatus = new Map<string, ComponentStatus['status']>()
  #latest: { at: number; components: Promise<Record<string, ComponentStatus>> } | undefined
  readonly #warnedAt = new Map<ReadinessWarning, number>()
  #stopping = false
  /** Null: none is known, because it is not looked up or this version is the newest. */
  newerVersion: string | null = null

  constructor(checks: ComponentChecks, log: Log) {
    this.#checks = checks
    this.#log = log
  }

  markStopping(): void {
    this.#stopping = true
  }

  /** Logged when it begins. It is reported until it has not been repeated for some minutes. */
  warn(warning: ReadinessWarning, message: string): void {
    if (!this.#currentWarnings().includes(warning)) this.#log.warn({ warning }, message)
    this.#warnedAt.set(warning, performance.now())
  }

  #currentWarnings(): ReadinessWarning[] {
    return readinessWarnings.filter((warning) => {
      const atMs = this.#warnedAt.get(warning)
      return atMs !== undefined && performance.now() - atMs < showWarningForMs
    })
  }

  async report(): Promise<ReadinessReport> {
    const { status, components } = await this.#reportComponents()
    return { status, components, warnings: this.#currentWarnings() }
  }

  async #reportComponents(): Promise<Pick<ReadinessReport, 'status' | 'components'>> {
    if (!this.#latest || performance.now() - this.#latest.at > reportCacheMs) {
      this.#latest = { at: performance.now(), components: this.#checkAll() }
    }
    const components = await this.#latest.components
    if (this.#stopping) return { status: 'stopping', components }
    const names = Object.keys(components) as ComponentName[]
    const failing = names.filter((name) => components[name]?.status === 'failing')
    if (failing.some((name) => this.#checks[name]?.essential)) return { status: 'not_ready', components }
    return { status: failing.length > 0 ? 'degraded' : 'ready', components }
  }

  async #checkAll(): Promise<Record<string, ComponentStatus>> {
    const checks = Object.entries(this.#checks) as [ComponentName, ComponentCheck][]
    return Object.fromEntries(
      await Promise.all(checks.map(async ([name, check]) => [name, await this.#check(name, check)])),
    )
  }

  async #check(name: ComponentName, { check }: ComponentCheck): Promise<ComponentStatus> {
    const startedAt = performance.now()
    try {
      await Promise.race([check(), sleep(checkTimeoutMs, undefined, { ref: false }).then(throwTimeout)])
      this.#recordStatus(name, 'ok')
      return { status: 'ok', latencyMs: Math.round(performance.now() - startedAt) }
    } catch (error) {
      this.#recordStatus(name, 'failing', error)
      return { status: 'failing', reason: error instanceof ComponentNotReadyError ? error.reason : 'unreachable' }
    }
  }

  /** Logs a line when a component fails and one when it recovers, not one per check. */
  #recordStatus(name: ComponentName, status: ComponentStatus['status'], error?: unknown): void {
    setMetric('colophon_component_up', { component: name }, status === 'ok' ? 1 : 0)
    const previous = this.#lastStatus.get(name)
    this.#lastStatus.set(name, status)
    if (previous === status || (previous === undefined && status === 'ok')) return
    if (status === 'ok') this.#log.info({ component: name }, 'component recovered')
    else
      this.#log.warn(
        { component: name, error: error instanceof Error ? error.message : String(error) },
        'component failing',
      )
  }
}

function throwTimeout(): never {
  throw new ComponentNotReadyError('timeout', `no response within ${checkTimeoutMs} ms`)
}
