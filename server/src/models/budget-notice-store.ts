/** Notices that 50, 80 or 100 % of a month's budget are used: recorded once each, and the emails about them. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import {
  type Ceilings,
  effectiveLimits,
  type NoticePercent,
  noticePercents,
  type PeriodLimits,
  type SpendScope,
} from './budget.ts'

export interface BudgetNotice {
  percent: NoticePercent
  unit: 'tokens' | 'usd'
  used: number
  max: number
  reachedAt: Date
}

export interface NoticeEmail extends Omit<BudgetNotice, 'reachedAt'> {
  scope: SpendScope
  /** Like `2026-11-01`. */
  month: string
  email: string
}

const maxAttempts = 24
const emailBatch = 20

export class BudgetNoticeStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Of the month, like `2026-11`, in ascending order. */
  async list(scope: SpendScope, month: string): Promise<BudgetNotice[]> {
    const rows = await this.#db
      .selectFrom('budget_notice')
      .select(['percent', 'unit', 'used', 'max', 'reached_at as reachedAt'])
      .where('scope', '=', scope)
      .where('month', '=', sql<Date>`${`${month}-01`}::date`)
      .orderBy('percent')
      .execute()
    return rows.map((row) => ({ ...row, used: Number(row.used), max: Number(row.max) }))
  }

  /**
   * Records what was reached in the current month and is not recorded yet, with the emails to send, in one transaction each: any
   * number of processes can do this at the same time. Only the highest share that is new is sent. Returns the number of notices.
   */
  async recordReached(
    ceilings: Ceilings,
    listRecipients: (scope: SpendScope) => Promise<readonly string[]>,
  ): Promise<number> {
    let recorded = 0
    for (const reached of findReached(await this.#readUsage(), ceilings)) {
      const known = await this.list(reached.scope, reached.month)
      if (known.length >= reached.percents.length) continue
      recorded += await this.#record(reached, await listRecipients(reached.scope))
    }
    return recorded
  }

  async #record({ scope, month, percents, unit, used, max }: Reached, recipients: readonly string[]): Promise<number> {
    return this.#db.transaction().execute(async (tx) => {
      const firstDay = sql<Date>`${`${month}-01`}::date`
      const added = await tx
        .insertInto('budget_notice')
        .values(percents.map((percent) => ({ scope, month: firstDay, percent, unit, used, max })))
        .onConflict((conflict) => conflict.columns(['scope', 'month', 'percent']).doNothing())
        .returning('percent')
        .execute()
      const percent = added.map((notice) => notice.percent).toSorted((a, b) => b - a)[0]
      if (percent !== undefined && recipients.length > 0)
        await tx
          .insertInto('budget_notice_email')
          .values(recipients.map((email) => ({ scope, month: firstDay, percent, email })))
          .execute()
      return added.length
    })
  }

  /**
   * Emails that are due. They are due again later, in case they cannot be sent, or this process ends before it has called
   * `confirmSent`. Given up after about a day.
   */
  async takeDueEmails(): Promise<NoticeEmail[]> {
    const { rows } = await sql<NoticeEmail & { used: string; max: string }>`
      WITH due AS (
        SELECT scope, month, percent, email FROM budget_notice_email
        WHERE due_at <= now() AND failed_attempts < ${maxAttempts}
        ORDER BY due_at LIMIT ${emailBatch} FOR UPDATE SKIP LOCKED
      )
      UPDATE budget_notice_email AS taken
      SET failed_attempts = failed_attempts + 1,
        due_at = now() + least(interval '1 minute' * 2 ^ failed_attempts, interval '1 hour')
      FROM due JOIN budget_notice AS notice USING (scope, month, percent)
      WHERE (taken.scope, taken.month, taken.percent, taken.email) = (due.scope, due.month, due.percent, due.email)
      RETURNING due.scope, due.month::text, due.percent, due.email, notice.unit, notice.used, notice.max`.execute(
      this.#db,
    )
    return rows.map((row) => ({ ...row, used: Number(row.used), max: Number(row.max) }))
  }

  async confirmSent({ scope, month, percent, email }: NoticeEmail): Promise<void> {
    await this.#db
      .deleteFrom('budget_notice_email')
      .where('scope', '=', scope)
      .where('month', '=', sql<Date>`${month}::date`)
      .where('percent', '=', percent)
      .where('email', '=', email)
      .execute()
  }

  /** What the current month's calls used. Without calls in progress: what they may use is not what they used. */
  async #readUsage(): Promise<UsageRow[]> {
    const { rows } = await sql<UsageRow>`
      WITH month AS (
        SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS first_day
      ), in_progress AS (
        SELECT project_id, sum(tokens) AS tokens, coalesce(sum(cost_usd), 0) AS cost_usd FROM model_call, month
        WHERE settled_at IS NULL AND reserved_at > now() - interval '1 hour' AND model_call.month = first_day
        GROUP BY project_id
      ), denied AS (
        SELECT DISTINCT turn.project_id, budget FROM turn_over_budget JOIN turn ON turn.id = turn_id, month
        WHERE at >= first_day::timestamp AT TIME ZONE 'UTC' AND budget LIKE '%month%'
      )
      SELECT project_id AS scope, to_char(first_day, 'YYYY-MM') AS month,
        model_month.tokens - coalesce(in_progress.tokens, 0) AS tokens,
        model_month.cost_usd - coalesce(in_progress.cost_usd, 0) AS cost_usd,
        max_tokens_per_month, max_usd_per_month,
        EXISTS (SELECT FROM denied WHERE denied.project_id = model_month.project_id AND budget = 'month_tokens') AS tokens_denied,
        EXISTS (SELECT FROM denied WHERE denied.project_id = model_month.project_id AND budget = 'month_usd') AS usd_denied
      FROM month JOIN model_month ON month = first_day
        LEFT JOIN project_budget USING (project_id) LEFT JOIN in_progress USING (project_id)
      UNION ALL
      SELECT 'instance', to_char(first_day, 'YYYY-MM'), tokens - (SELECT coalesce(sum(tokens), 0) FROM in_progress),
        cost_usd - (SELECT coalesce(sum(cost_usd), 0) FROM in_progress), NULL, NULL,
        EXISTS (SELECT FROM denied WHERE budget = 'instance_month_tokens'),
        EXISTS (SELECT FROM denied WHERE budget = 'instance_month_usd')
      FROM month JOIN model_period
        ON scope = 'instance' AND period = 'month' AND starts_at = first_day::timestamp AT TIME ZONE 'UTC'`.execute(
      this.#db,
    )
    return rows
  }
}

interface UsageRow {
  scope: SpendScope
  month: string
  tokens: string
  cost_usd: string
  max_tokens_per_month: string | null
  max_usd_per_month: string | null
  /** Whether a call was denied because of the limit, which can happen before the limit is reached. */
  tokens_denied: boolean
  usd_denied: boolean
}

interface Reached {
  scope: SpendScope
  month: string
  percents: NoticePercent[]
  unit: 'tokens' | 'usd'
  used: number
  max: number
}

const findReached = (usage: readonly UsageRow[], ceilings: Ceilings): Reached[] =>
  usage.flatMap((row) => {
    const limits = limitsOf(row, ceilings)
    const units = [
      measure('usd', Number(row.cost_usd), limits.maxUsdPerMonth, row.usd_denied),
      measure('tokens', Number(row.tokens), limits.maxTokensPerMonth, row.tokens_denied),
    ].filter((measured) => measured !== undefined)
    const [highest] = units.toSorted((a, b) => b.percents.length - a.percents.length)
    return highest && highest.percents.length > 0 ? [{ scope: row.scope, month: row.month, ...highest }] : []
  })

function limitsOf(row: UsageRow, ceilings: Ceilings): PeriodLimits {
  if (row.scope === 'instance') return ceilings.instance
  const toNumber = (decimal: string | null) => (decimal === null ? null : Number(decimal))
  const own = {
    maxTokensPerJob: null,
    maxTokensPerMonth: toNumber(row.max_tokens_per_month),
    maxUsdPerMonth: toNumber(row.max_usd_per_month),
  }
  return effectiveLimits(own, ceilings.project)
}

function measure(unit: 'tokens' | 'usd', used: number, max: number | null, wasDenied: boolean) {
  if (max === null) return undefined
  const percents = noticePercents.filter((percent) => wasDenied || (used > 0 && used * 100 >= max * percent))
  return { unit, used, max, percents }
}

/** The highest notice that still holds: the limit may have been raised since. Undefined: none. */
export function findCurrentNotice(
  notices: readonly BudgetNotice[],
  used: { tokens: number; costUsd: number },
  limits: Pick<PeriodLimits, 'maxTokensPerMonth' | 'maxUsdPerMonth'>,
): BudgetNotice | undefined {
  return notices.findLast(({ percent, unit, max: maxThen }) => {
    const max = unit === 'usd' ? limits.maxUsdPerMonth : limits.maxTokensPerMonth
    if (max === null) return false
    return max <= maxThen || (unit === 'usd' ? used.costUsd : used.tokens) * 100 >= max * percent
  })
}
