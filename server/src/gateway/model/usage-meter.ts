import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Prices, Usage } from '../../models/model.ts'
import type { ModelCallStore, Reservation } from '../../models/model-call-store.ts'
import type { LabelsOf } from '../../platform/metrics/catalog.ts'
import { countMetric } from '../../platform/metrics/metrics.ts'

type CallResult = LabelsOf<'colophon_model_calls_total'>['result']

const noUsage: Usage = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0 }

/** Waits before another attempt to settle, which is idempotent: a busy database or a failover often takes no longer. */
const retryDelaysMs = [250, 1_000, 3_000]

/** Settles a reservation exactly once, however its call ends. */
export class UsageMeter {
  readonly #calls: ModelCallStore
  readonly #reservation: Reservation
  readonly #log: FastifyBaseLogger
  #reportedUsage: Partial<Usage> = {}
  #settled = false

  constructor(calls: ModelCallStore, reservation: Reservation, log: FastifyBaseLogger) {
    this.#calls = calls
    this.#reservation = reservation
    this.#log = log
  }

  /** Usage that the provider reports; later values replace earlier ones. */
  reportUsage(usage: Partial<Usage>): void {
    this.#reportedUsage = { ...this.#reportedUsage, ...usage }
  }

  /** The provider rejected the call. */
  async settleUnused(): Promise<void> {
    await this.#settle(noUsage, 'failed')
  }

  /** The provider reported an error, during its response or instead of one. */
  async settleFailed({ hasStarted }: { hasStarted: boolean }): Promise<void> {
    if (this.#reportedUsage.outputTokens !== undefined) await this.settleComplete()
    else await (hasStarted ? this.settleInterrupted() : this.settleUnused())
  }

  /** The response is complete. If the provider reports no usage, the whole reservation counts as used. */
  async settleComplete(): Promise<void> {
    if (this.#reportedUsage.outputTokens === undefined && !this.#settled)
      this.#log.warn({ model: this.#reservation.model.name }, 'provider reported no usage for a model call')
    await this.#settle({ ...this.#reserved(), ...this.#reportedUsage }, 'complete')
  }

  /** The response was interrupted. The maximum output counts, because thinking is not shown and is charged even then. */
  async settleInterrupted(): Promise<void> {
    const { outputTokens } = this.#reserved()
    await this.#settle({ ...this.#reserved(), ...this.#reportedUsage, outputTokens }, 'interrupted')
  }

  #reserved(): Usage {
    return { ...noUsage, ...this.#reservation.maxUsage }
  }

  async #settle(usage: Usage, result: CallResult): Promise<void> {
    if (this.#settled) return
    this.#settled = true
    this.#countMetrics(usage, result)
    for (const delayMs of [...retryDelaysMs, undefined]) {
      try {
        return await this.#calls.settle(this.#reservation, usage)
      } catch (error) {
        const details = { callId: this.#reservation.id, error: String(error) }
        // The reservation keeps counting, which is never less than the usage.
        if (delayMs === undefined) return this.#log.error(details, 'failed to settle a model call')
        this.#log.warn(details, 'could not settle a model call yet')
        await sleep(delayMs)
      }
    }
  }

  #countMetrics(usage: Usage, result: CallResult): void {
    const { projectId, model } = this.#reservation
    countMetric('colophon_model_calls_total', { result }, { projectId })
    const tokens = {
      input: usage.inputTokens,
      cache_read: usage.cacheReadTokens,
      cache_write: usage.cacheWriteTokens,
      output: usage.outputTokens,
    } as const
    for (const kind of ['input', 'cache_read', 'cache_write', 'output'] as const)
      countMetric('colophon_model_tokens_total', { kind }, { by: tokens[kind], projectId })
    countMetric('colophon_model_cost_usd_total', {}, { by: estimateCostUsd(usage, model.prices), projectId })
  }
}

/** Without tokens whose price is unknown. PostgreSQL computes what counts for budgets, exactly. */
const estimateCostUsd = (usage: Usage, prices: Prices): number =>
  (usage.inputTokens * Number(prices.input) +
    usage.cacheReadTokens * Number(prices.cacheRead) +
    usage.cacheWriteTokens * Number(prices.cacheWrite) +
    usage.outputTokens * Number(prices.output)) /
  1e6
