/**
 * Usage and budgets of model calls. Before each call its maximum usage is reserved, so that no number of concurrent
 * calls, through any number of gateways, exceeds a budget. Afterwards the actual usage replaces the reservation.
 */
import { sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { BudgetDefaults, BudgetKind } from './budget.ts'
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

  async reserve(call: ModelCallSpec, defaults: BudgetDefaults): Promise<ReservationResult> {
    try {
      const reservation = await this.#db.transaction().execute((tx) => reserve(tx, call, defaults))
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
  async settle({ projectId, id, model }: Reservation, usage: Usage): Promise<void> {
    await sql`
      WITH reserved AS (
        SELECT month, tokens, cost_usd FROM model_call
        WHERE project_id = ${projectId} AND id = ${id} AND settled_at IS NULL FOR UPDATE
      ), used AS (
        UPDATE model_call
        SET input_tokens = ${usage.inputTokens}, cache_read_tokens = ${usage.cacheReadTokens},
          cache_write_tokens = ${usage.cacheWriteTokens}, output_tokens = ${usage.outputTokens},
          cost_usd = ${costOf(usage, model.prices)}, settled_at = clock_timestamp()
        FROM reserved WHERE project_id = ${projectId} AND id = ${id}
        RETURNING model_call.tokens, model_call.cost_usd
      )
      UPDATE model_month
      SET tokens = model_month.tokens - reserved.tokens + used.tokens,
        -- The cost is unknown where a price is missing; the monthly budget then counts the reserved maximum.
        cost_usd = model_month.cost_usd - coalesce(reserved.cost_usd, 0) + coalesce(used.cost_usd, reserved.cost_usd, 0)
      FROM reserved, used WHERE model_month.project_id = ${projectId} AND model_month.month = reserved.month`.execute(
      this.#db,
    )
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

async function reserve(
  tx: DatabaseTransaction,
  call: ModelCallSpec,
  defaults: BudgetDefaults,
): Promise<Reservation | undefined> {
  const { projectId, jobId, turnId, model } = call
  const { inputTokens, outputTokens } = call.maxUsage
  // This lock serializes the calls of one job, and the row of the month below those of one project: so each sees all
  // earlier ones.
  const { topic } = await tx
    .selectFrom('job')
    .select('topic')
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const limits = await readLimits(tx, projectId, defaults)
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
  if (Number(jobUsage.tokens) + inputTokens + outputTokens > limits.jobTokens) throw new BudgetExceeded('job_tokens')

  const cost = maxCost(call)
  const { rows } = await sql<{ month: string; exceeds_tokens: boolean | null; exceeds_usd: boolean | null }>`
    INSERT INTO model_month AS total (project_id, month, tokens, cost_usd)
    VALUES (${projectId}, date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date, ${inputTokens + outputTokens},
      coalesce(${cost}, 0))
    ON CONFLICT (project_id, month) DO UPDATE
    SET tokens = total.tokens + excluded.tokens, cost_usd = total.cost_usd + excluded.cost_usd
    RETURNING month::text, tokens > ${limits.monthTokens}::bigint AS exceeds_tokens, cost_usd > ${limits.monthUsd}::numeric AS exceeds_usd`.execute(
    tx,
  )
  const [total] = rows
  if (!total) throw new Error('PostgreSQL returned no row for the month')
  if (total.exceeds_tokens) throw new BudgetExceeded('month_tokens')
  if (total.exceeds_usd) throw new BudgetExceeded('month_usd')

  const id = newId('mcl')
  await tx
    .insertInto('model_call')
    .values({
      project_id: projectId,
      id,
      job_id: jobId,
      turn_id: turnId,
      model: model.name,
      month: sql`${total.month}::date`,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cost_usd: cost,
    })
    .execute()
  return { ...call, id }
}

async function readLimits(tx: DatabaseTransaction, projectId: Id<'prj'>, defaults: BudgetDefaults) {
  const budget = await tx
    .selectFrom('project_budget')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return {
    jobTokens: Number(budget?.max_tokens_per_job ?? defaults.maxTokensPerJob),
    monthTokens: budget?.max_tokens_per_month ?? defaults.maxTokensPerMonth,
    monthUsd: budget?.max_usd_per_month ?? defaults.maxUsdPerMonth,
  }
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
