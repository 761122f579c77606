/**
 * What calls of models use, and what they may use. The most that a call can use is counted before it is made, so that no number
 * of calls at once, over any number of gateways, goes past a budget; what it did use replaces that afterwards.
 */
import { type Kysely, sql, type Transaction } from 'kysely'
import { type Id, newId } from '../platform/ids.ts'
import type { Budget, BudgetDefaults } from './budget.ts'
import type { Prices, Usage } from './model.ts'
import type { ModelTables } from './tables.ts'

export interface WantedCall {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  turnId: Id<'trn'>
  model: { name: string; prices: Prices }
  /** The provider cannot count more than this. */
  atMost: { inputTokens: number; outputTokens: number }
}

export interface Reservation extends WantedCall {
  id: Id<'mcl'>
}

export type Reserved =
  | { kind: 'reserved'; reservation: Reservation }
  | { kind: 'out_of_budget'; budget: Budget }
  /** Calls that use nothing, because the provider refuses them, are kept in bounds by no budget. */
  | { kind: 'too_many_failures' }

const maxFailuresPerMinute = 60

export class ModelCallStore {
  readonly #db: Kysely<ModelTables>

  constructor(db: Kysely<ModelTables>) {
    this.#db = db
  }

  async reserve(wanted: WantedCall, defaults: BudgetDefaults): Promise<Reserved> {
    try {
      const reservation = await this.#db.transaction().execute((tx) => reserve(tx, wanted, defaults))
      return reservation ? { kind: 'reserved', reservation } : { kind: 'too_many_failures' }
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error
      const { budget } = error
      await this.#db
        .insertInto('turn_over_budget')
        .values({ turn_id: wanted.turnId, budget })
        .onConflict((conflict) => conflict.column('turn_id').doNothing())
        .execute()
      return { kind: 'out_of_budget', budget }
    }
  }

  /** May be called again: what is settled stays as it is. */
  async settle({ projectId, id, model }: Reservation, usage: Usage): Promise<void> {
    await sql`
      WITH held AS (
        SELECT month, tokens, cost_usd FROM model_call
        WHERE project_id = ${projectId} AND id = ${id} AND settled_at IS NULL FOR UPDATE
      ), used AS (
        UPDATE model_call
        SET input_tokens = ${usage.inputTokens}, cache_read_tokens = ${usage.cacheReadTokens},
          cache_write_tokens = ${usage.cacheWriteTokens}, output_tokens = ${usage.outputTokens},
          cost_usd = ${costOf(usage, model.prices)}, settled_at = clock_timestamp()
        FROM held WHERE project_id = ${projectId} AND id = ${id}
        RETURNING model_call.tokens, model_call.cost_usd
      )
      UPDATE model_month
      SET tokens = model_month.tokens - held.tokens + used.tokens,
        -- Where a price is missing nobody knows the cost; the month's budget then counts the most that it can be.
        cost_usd = model_month.cost_usd - coalesce(held.cost_usd, 0) + coalesce(used.cost_usd, held.cost_usd, 0)
      FROM held, used WHERE model_month.project_id = ${projectId} AND model_month.month = held.month`.execute(this.#db)
  }

  /** The budget that this turn met the end of, if it did. */
  async budgetMetBy(turnId: Id<'trn'>): Promise<Budget | undefined> {
    const row = await this.#db
      .selectFrom('turn_over_budget')
      .select('budget')
      .where('turn_id', '=', turnId)
      .executeTakeFirst()
    return row?.budget
  }
}

/** Thrown, so that the transaction takes back what it has counted. */
class OutOfBudget extends Error {
  readonly budget: Budget
  constructor(budget: Budget) {
    super(budget)
    this.budget = budget
  }
}

async function reserve(
  tx: Transaction<ModelTables>,
  wanted: WantedCall,
  defaults: BudgetDefaults,
): Promise<Reservation | undefined> {
  const { projectId, jobId, turnId, model } = wanted
  const { inputTokens, outputTokens } = wanted.atMost
  // Calls of one job take turns here, those of one project at its month's row below: so each sees all before it.
  await tx
    .selectFrom('job')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  const most = await limitsOf(tx, projectId, defaults)
  const ofJob = await tx
    .selectFrom('model_call')
    .select([
      sql<string>`coalesce(sum(tokens), 0)`.as('tokens'),
      sql<string>`count(*) FILTER (WHERE tokens = 0 AND settled_at > clock_timestamp() - interval '1 minute')`.as(
        'failures',
      ),
    ])
    .where('project_id', '=', projectId)
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  if (Number(ofJob.failures) >= maxFailuresPerMinute) return undefined
  if (Number(ofJob.tokens) + inputTokens + outputTokens > most.jobTokens) throw new OutOfBudget('job_tokens')

  const cost = costAtMost(wanted)
  const { rows } = await sql<{ month: string; past_tokens: boolean | null; past_usd: boolean | null }>`
    INSERT INTO model_month AS total (project_id, month, tokens, cost_usd)
    VALUES (${projectId}, date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')::date, ${inputTokens + outputTokens},
      coalesce(${cost}, 0))
    ON CONFLICT (project_id, month) DO UPDATE
    SET tokens = total.tokens + excluded.tokens, cost_usd = total.cost_usd + excluded.cost_usd
    RETURNING month::text, tokens > ${most.monthTokens}::bigint AS past_tokens, cost_usd > ${most.monthUsd}::numeric AS past_usd`.execute(
    tx,
  )
  const [total] = rows
  if (!total) throw new Error('PostgreSQL did not say what the month comes to')
  if (total.past_tokens) throw new OutOfBudget('month_tokens')
  if (total.past_usd) throw new OutOfBudget('month_usd')

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
  return { ...wanted, id }
}

async function limitsOf(tx: Transaction<ModelTables>, projectId: Id<'prj'>, defaults: BudgetDefaults) {
  const own = await tx.selectFrom('project_budget').selectAll().where('project_id', '=', projectId).executeTakeFirst()
  return {
    jobTokens: Number(own?.max_tokens_per_job ?? defaults.maxTokensPerJob),
    monthTokens: own?.max_tokens_per_month ?? defaults.maxTokensPerMonth,
    monthUsd: own?.max_usd_per_month ?? defaults.maxUsdPerMonth,
  }
}

/** An unknown price matters only where there is something to pay. */
const costOf = (usage: Usage, prices: Prices) =>
  sql<string | null>`(${part(usage.inputTokens, prices.input)} + ${part(usage.cacheReadTokens, prices.cacheRead)}
    + ${part(usage.cacheWriteTokens, prices.cacheWrite)} + ${part(usage.outputTokens, prices.output)})`

const part = (tokens: number, usdPerMillion: string | null) =>
  tokens === 0 ? sql`0::numeric` : sql`${tokens}::numeric * ${usdPerMillion}::numeric * 0.000001`

/** Whether the provider's cache is written or read is not known yet: the dearest of the three counts. */
const costAtMost = ({ atMost: { inputTokens, outputTokens }, model: { prices } }: WantedCall) =>
  sql<string | null>`(${part(inputTokens, dearestInput(prices))} + ${part(outputTokens, prices.output)})`

function dearestInput({ input, cacheRead, cacheWrite }: Prices): string | null {
  if (input === null) return null
  const known = [input, cacheRead, cacheWrite].filter((price) => price !== null)
  return known.reduce((dearest, price) => (Number(price) > Number(dearest) ? price : dearest))
}
