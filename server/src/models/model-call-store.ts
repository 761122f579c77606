/**
 * Usage and budgets of model calls. Before each call its maximum usage is reserved, so that no number of concurrent
 * calls, through any number of gateways, exceeds a budget. Afterwards the actual usage replaces the reservation.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import { type BudgetKind, type ConfiguredCeilings, effectiveLimits, type PeriodLimits } from './budget.ts'
import { readCeilings, readProjectBudget } from './budget-store.ts'
import type { Prices, Usage } from './model.ts'

export interface ModelCallSpec {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
  model: { name: string; prices: Prices }
  /** Upper bound of what the provider can report. */
  maxUsage: { inputTokens: number; outputTokens: number }
}

export interface Reservation extends ModelCallSpec {
  id: Id<'mcl'>
}

export type ReservationResult =
  | { kind: 'reserved'; reservation: Reservation }
  | { kind: 'out_of_budget'; budget: BudgetKind }
  /** Calls that the provider rejects use no tokens, so no budget limits them. */
  | { kind: 'too_many_failures' }

const maxFailuresPerMinute = 60

export class ModelCallStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  async reserve(call: ModelCallSpec, ceilings: ConfiguredCeilings): Promise<ReservationResult> {
    try {
      const reservation = await this.#db.transaction().execute((tx) => reserve(tx, call, ceilings))
      return reservation ? { kind: 'reserved', reservation } : { kind: 'too_many_failures' }
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error
      const { budget } = error
      await this.#db
        .insertInto('turn_over_budget')
        .values({ turn_id: call.turnId, budget })
        .onConflict((conflict) => conflict.column('turn_id').doNothing())
        .execute()
      return { kind: 'out_of_budget', budget }
    }
  }

  /** Idempotent: a settled call does not change. */
  async settle(reservation: Reservation, usage: Usage): Promise<void> {
    await this.#db.transaction().execute((tx) => settle(tx, reservation, usage))
  }

  /** The budget that this turn exceeded, if any. */
  async exceededBudget(turnId: Id<'trn'>): Promise<BudgetKind | undefined> {
    const row = await this.#db
      .selectFrom('turn_over_budget')
      .select('budget')
      .where('turn_id', '=', turnId)
      .executeTakeFirst()
    return row?.budget
  }
}

/** Thrown to roll the transaction back. */
class BudgetExceeded extends Error {
  readonly budget: BudgetKind
  constructor(budget: BudgetKind) {
    super(budget)
    this.budget = budget
  }
}

/**
 * Locks, in the same order in `reserve` and `settle`, so that they cannot deadlock: the job, the project's month, its day, and
 * last the totals of the instance. All calls of the instance update the same two rows there. That is one short statement right
 * before the commit, so a call waits for others for no longer than PostgreSQL needs to commit them, a few milliseconds; model
 * calls take seconds. Counters per process would not wait, but could be exceeded by one call for each process.
 */
async function reserve(
  tx: DatabaseTransaction,
  call: ModelCallSpec,
  configured: ConfiguredCeilings,
): Promise<Reservation | undefined> {
  const { projectId, jobId, turnId, model } = call
  const { inputTokens, outputTokens } = call.maxUsage
  // This lock serializes the calls of one job, and the row of the month below those of one project: so each sees all
  // earlier ones.
  const { topic, now } = await tx
    .selectFrom('job')
    .select(['topic', sql<string>`clock_timestamp()::text`.as('now')])
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const ceilings = await readCeilings(tx, configured)
  const limits = effectiveLimits(await readProjectBudget(tx, projectId), ceilings.project)
  const jobUsage = await tx
    .selectFrom('model_call')
    .select([
      sql<string>`coalesce(sum(tokens), 0)`.as('tokens'),
      sql<string>`count(*) FILTER (WHERE tokens = 0 AND settled_at > clock_timestamp() - interval '1 minute')`.as(
        'failures',
      ),
    ])
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    // A job with a topic goes on for as long as its pull request is open. Each of its turns may use as much as another job would.
    .$if(topic !== null, (query) => query.where('turn_id', '=', turnId))
    .executeTakeFirstOrThrow()
  if (Number(jobUsage.failures) >= maxFailuresPerMinute) return undefined
  if (Number(jobUsage.tokens) + inputTokens + outputTokens > limits.maxTokensPerJob)
    throw new BudgetExceeded('job_tokens')

  const id = newId('mcl')
  const { rows } = await sql<AddedAmounts>`
    INSERT INTO model_call (project_id, id, job_id, turn_id, model, month, input_tokens, output_tokens, cost_usd, reserved_at)
    VALUES (${projectId}, ${id}, ${jobId}, ${turnId}, ${model.name},
      date_trunc('month', ${now}::timestamptz AT TIME ZONE 'UTC')::date, ${inputTokens}, ${outputTokens}, ${maxCost(call)},
      ${now}::timestamptz)
    RETURNING reserved_at::text, model, 1 AS calls, tokens, coalesce(cost_usd, 0) AS cost_usd,
      CASE WHEN cost_usd IS NULL THEN tokens ELSE 0 END AS unpriced_tokens`.execute(tx)
  const [added] = rows
  if (!added) throw new Error('PostgreSQL returned no row for the call')
  const totals = await addToTotals(tx, projectId, added)
  const exceeded = findExceeded(totals, limits, ceilings.instance)
  if (exceeded) throw new BudgetExceeded(exceeded)
  return { ...call, id }
}

async function settle(tx: DatabaseTransaction, { projectId, id, model }: Reservation, usage: Usage): Promise<void> {
  const { rows } = await sql<AddedAmounts>`
    WITH reserved AS (
      SELECT tokens, cost_usd FROM model_call
      WHERE project_id = ${projectId} AND id = ${id} AND settled_at IS NULL FOR UPDATE
    )
    UPDATE model_call AS used
    SET input_tokens = ${usage.inputTokens}, cache_read_tokens = ${usage.cacheReadTokens},
      cache_write_tokens = ${usage.cacheWriteTokens}, output_tokens = ${usage.outputTokens},
      cost_usd = ${costOf(usage, model.prices)}, settled_at = clock_timestamp()
    FROM reserved WHERE used.project_id = ${projectId} AND used.id = ${id}
    RETURNING used.reserved_at::text, used.model, CASE WHEN used.tokens = 0 THEN -1 ELSE 0 END AS calls,
      used.tokens - reserved.tokens AS tokens,
      -- The cost is unknown where a price is missing; budgets then count the reserved maximum.
      coalesce(used.cost_usd, reserved.cost_usd, 0) - coalesce(reserved.cost_usd, 0) AS cost_usd,
      CASE WHEN used.cost_usd IS NULL THEN used.tokens ELSE 0 END
        - CASE WHEN reserved.cost_usd IS NULL THEN reserved.tokens ELSE 0 END AS unpriced_tokens`.execute(tx)
  const [added] = rows
  if (added) await addToTotals(tx, projectId, added)
}

/** What one step of a call adds to the totals of its periods. The driver returns numbers as text. */
interface AddedAmounts {
  /** Of the call: its periods are those in which it was reserved, also if it is settled in the next month. */
  reserved_at: string
  model: string
  calls: number
  tokens: string
  cost_usd: string
  unpriced_tokens: string
}

interface Totals {
  tokens: number
  costUsd: number
}

interface PeriodTotals {
  projectMonth: Totals
  projectHour: Totals
  instanceMonth: Totals
  instanceHour: Totals
}

async function addToTotals(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  { reserved_at, model, calls, tokens, cost_usd, unpriced_tokens }: AddedAmounts,
): Promise<PeriodTotals> {
  const start = (period: 'month' | 'day' | 'hour') =>
    sql`date_trunc(${sql.lit(period)}, ${reserved_at}::timestamptz AT TIME ZONE 'UTC')`
  const month = await sql<TotalsRow>`
    INSERT INTO model_month AS total (project_id, month, tokens, cost_usd)
    VALUES (${projectId}, ${start('month')}::date, ${tokens}, ${cost_usd})
    ON CONFLICT (project_id, month) DO UPDATE
    SET tokens = total.tokens + excluded.tokens, cost_usd = total.cost_usd + excluded.cost_usd
    RETURNING tokens, cost_usd`.execute(tx)
  await sql`
    INSERT INTO model_day AS total (project_id, day, model, calls, tokens, cost_usd, unpriced_tokens)
    VALUES (${projectId}, ${start('day')}::date, ${model}, ${calls}, ${tokens}, ${cost_usd}, ${unpriced_tokens})
    ON CONFLICT (project_id, day, model) DO UPDATE
    SET calls = total.calls + excluded.calls, tokens = total.tokens + excluded.tokens,
      cost_usd = total.cost_usd + excluded.cost_usd, unpriced_tokens = total.unpriced_tokens + excluded.unpriced_tokens
    `.execute(tx)
  // The rows are locked in this order.
  const { rows: periods } = await sql<TotalsRow & { period: 'month' | 'hour'; is_instance: boolean }>`
    INSERT INTO model_period AS total (scope, period, starts_at, tokens, cost_usd)
    VALUES
      (${projectId}, 'hour', ${start('hour')} AT TIME ZONE 'UTC', ${tokens}::bigint, ${cost_usd}::numeric),
      ('instance', 'month', ${start('month')} AT TIME ZONE 'UTC', ${tokens}::bigint, ${cost_usd}::numeric),
      ('instance', 'hour', ${start('hour')} AT TIME ZONE 'UTC', ${tokens}::bigint, ${cost_usd}::numeric)
    ON CONFLICT (scope, period, starts_at) DO UPDATE
    SET tokens = total.tokens + excluded.tokens, cost_usd = total.cost_usd + excluded.cost_usd
    RETURNING tokens, cost_usd, period, scope = 'instance' AS is_instance`.execute(tx)
  return {
    projectMonth: toTotals(month.rows[0]),
    projectHour: toTotals(periods.find(({ is_instance }) => !is_instance)),
    instanceMonth: toTotals(periods.find(({ is_instance, period }) => is_instance && period === 'month')),
    instanceHour: toTotals(periods.find(({ is_instance, period }) => is_instance && period === 'hour')),
  }
}

interface TotalsRow {
  tokens: string
  cost_usd: string
}

function toTotals(row: TotalsRow | undefined): Totals {
  if (!row) throw new Error('PostgreSQL returned no row for a period')
  return { tokens: Number(row.tokens), costUsd: Number(row.cost_usd) }
}

function findExceeded(totals: PeriodTotals, project: PeriodLimits, instance: PeriodLimits): BudgetKind | undefined {
  const exceeds = (used: number, max: number | null) => max !== null && used > max
  const { projectMonth, projectHour, instanceMonth, instanceHour } = totals
  const checks: [BudgetKind, used: number, max: number | null][] = [
    ['month_tokens', projectMonth.tokens, project.maxTokensPerMonth],
    ['month_usd', projectMonth.costUsd, project.maxUsdPerMonth],
    ['hour_tokens', projectHour.tokens, project.maxTokensPerHour],
    ['hour_usd', projectHour.costUsd, project.maxUsdPerHour],
    ['instance_month_tokens', instanceMonth.tokens, instance.maxTokensPerMonth],
    ['instance_month_usd', instanceMonth.costUsd, instance.maxUsdPerMonth],
    ['instance_hour_tokens', instanceHour.tokens, instance.maxTokensPerHour],
    ['instance_hour_usd', instanceHour.costUsd, instance.maxUsdPerHour],
  ]
  return checks.find(([, used, max]) => exceeds(used, max))?.[0]
}

/** Null only if a price is unknown for tokens that were used. */
const costOf = (usage: Usage, prices: Prices) =>
  sql<
    string | null
  >`(${costOfTokens(usage.inputTokens, prices.input)} + ${costOfTokens(usage.cacheReadTokens, prices.cacheRead)}
    + ${costOfTokens(usage.cacheWriteTokens, prices.cacheWrite)} + ${costOfTokens(usage.outputTokens, prices.output)})`

const costOfTokens = (tokens: number, usdPerMillion: string | null) =>
  tokens === 0 ? sql`0::numeric` : sql`${tokens}::numeric * ${usdPerMillion}::numeric * 0.000001`

/** It is not known yet whether the provider's cache is written or read, so the highest of the three prices counts. */
const maxCost = ({ maxUsage: { inputTokens, outputTokens }, model: { prices } }: ModelCallSpec) =>
  sql<
    string | null
  >`(${costOfTokens(inputTokens, maxInputPrice(prices))} + ${costOfTokens(outputTokens, prices.output)})`

function maxInputPrice({ input, cacheRead, cacheWrite }: Prices): string | null {
  if (input === null) return null
  const knownPrices = [input, cacheRead, cacheWrite].filter((price) => price !== null)
  return knownPrices.reduce((max, price) => (Number(price) > Number(max) ? price : max))
}
