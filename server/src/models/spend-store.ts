/** What was spent on model calls, by project, model and day (UTC). Calls in progress count with their reservation. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { SpendScope } from './budget.ts'

export interface SpendAmounts {
  calls: number
  tokens: number
  /** Of calls whose price is known. */
  costUsd: number
  /** Tokens of calls whose price is unknown. */
  unpricedTokens: number
}

export interface Spend {
  total: SpendAmounts
  /** In ascending order, only those with calls. */
  days: ({ day: string } & SpendAmounts)[]
  /** The most expensive ones first, like the projects. */
  models: ({ model: string } & SpendAmounts)[]
  projects: ({ projectId: Id<'prj'>; name: string } & SpendAmounts)[]
  /** What the whole month will probably cost. Null for other months than the current one. */
  forecast: { tokens: number; costUsd: number } | null
}

/** In a response, so that it stays readable. The totals include all of them. */
const maxProjects = 500
const forecastDays = 7
const dayMs = 86_400_000

export class SpendStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** `month`: like `2026-11`. Undefined: the current one. */
  async read(scope: SpendScope, month: string | undefined): Promise<Spend & { month: string }> {
    const now = await this.#now()
    const currentMonth = now.toISOString().slice(0, 7)
    const chosenMonth = month ?? currentMonth
    const rows = await this.#readGroups(scope, chosenMonth)
    const select = <Key>(group: GroupRow['kind'], keyOf: (row: GroupRow) => Key) =>
      rows.filter(({ kind }) => kind === group).map((row) => ({ ...keyOf(row), ...toAmounts(row) }))
    const total = rows.find(({ kind }) => kind === 'total')
    const amounts = total ? toAmounts(total) : { calls: 0, tokens: 0, costUsd: 0, unpricedTokens: 0 }
    return {
      month: chosenMonth,
      total: amounts,
      days: select('day', ({ day }) => ({ day })).toSorted((a, b) => a.day.localeCompare(b.day)),
      models: select('model', ({ model }) => ({ model })).toSorted(byCost),
      projects: select('project', ({ project_id, name }) => ({ projectId: project_id, name }))
        .toSorted(byCost)
        .slice(0, maxProjects),
      forecast: chosenMonth === currentMonth ? forecast(amounts, await this.#readRecent(scope, now), now) : null,
    }
  }

  /** All days of a project, oldest first. */
  async listDays(projectId: Id<'prj'>): Promise<({ day: string; model: string } & SpendAmounts)[]> {
    const { rows } = await sql<{ day: string; model: string } & AmountsRow>`
      SELECT day::text, model, calls, tokens, cost_usd, unpriced_tokens FROM model_day
      WHERE project_id = ${projectId} ORDER BY day, model`.execute(this.#db)
    return rows.map((row) => ({ day: row.day, model: row.model, ...toAmounts(row) }))
  }

  /** PostgreSQL's clock, which dates the calls. */
  async #now(): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`SELECT now()`.execute(this.#db)
    return rows[0]?.now ?? new Date()
  }

  async #readGroups(scope: SpendScope, month: string): Promise<GroupRow[]> {
    const { rows } = await sql<GroupRow>`
      SELECT CASE grouping(day, model, project_id)
          WHEN 7 THEN 'total' WHEN 3 THEN 'day' WHEN 5 THEN 'model' ELSE 'project' END AS kind,
        day::text, model, project_id, coalesce(min(project.name), '') AS name,
        sum(calls) AS calls, sum(tokens) AS tokens, sum(cost_usd) AS cost_usd, sum(unpriced_tokens) AS unpriced_tokens
      FROM ${spendByDay(scope)} AS spend LEFT JOIN project ON project.id = project_id
      WHERE day >= ${`${month}-01`}::date AND day < ${`${month}-01`}::date + interval '1 month'
      GROUP BY GROUPING SETS ((), (day), (model), (project_id))
      HAVING count(*) > 0 AND (grouping(project_id) = 1 OR project_id IS NOT NULL)`.execute(this.#db)
    return rows
  }

  /** The last days, including the current one, also those of the previous month. */
  async #readRecent(scope: SpendScope, now: Date): Promise<RecentSpend> {
    const firstDay = new Date(now.getTime() - (forecastDays - 1) * dayMs).toISOString().slice(0, 10)
    const { rows } = await sql<{ first_day: string | null; tokens: string; cost_usd: string }>`
      SELECT min(day)::text AS first_day, coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_usd), 0) AS cost_usd
      FROM ${spendByDay(scope)} AS spend WHERE day >= ${firstDay}::date`.execute(this.#db)
    const [row] = rows
    return {
      since: new Date(row?.first_day ?? now),
      tokens: Number(row?.tokens ?? 0),
      costUsd: Number(row?.cost_usd ?? 0),
    }
  }
}

interface GroupRow extends AmountsRow {
  kind: 'total' | 'day' | 'model' | 'project'
  day: string
  model: string
  project_id: Id<'prj'>
  name: string
}

interface AmountsRow {
  calls: string
  tokens: string
  cost_usd: string
  unpriced_tokens: string
}

interface RecentSpend {
  since: Date
  tokens: number
  costUsd: number
}

/** The instance includes projects that were deleted, without naming them. */
const spendByDay = (scope: SpendScope) =>
  scope === 'instance'
    ? sql`(SELECT * FROM model_day UNION ALL
        SELECT NULL, day, model, calls, tokens, cost_usd, unpriced_tokens FROM deleted_project_spend)`
    : sql`(SELECT * FROM model_day WHERE project_id = ${scope})`

const toAmounts = ({ calls, tokens, cost_usd, unpriced_tokens }: AmountsRow): SpendAmounts => ({
  calls: Number(calls),
  tokens: Number(tokens),
  costUsd: Number(cost_usd),
  unpricedTokens: Number(unpriced_tokens),
})

const byCost = (a: SpendAmounts, b: SpendAmounts) => b.costUsd - a.costUsd || b.tokens - a.tokens

/** Assumes that the rest of the month costs as much per day as the last seven days, or as the days since the first call. */
export function forecast(
  spent: { tokens: number; costUsd: number },
  recent: RecentSpend,
  now: Date,
): { tokens: number; costUsd: number } {
  const recentDays = Math.max(1, (now.getTime() - recent.since.getTime()) / dayMs)
  const nextMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  const remainingDays = (nextMonth - now.getTime()) / dayMs
  const extend = (amount: number, recentAmount: number) => amount + (recentAmount / recentDays) * remainingDays
  return {
    tokens: Math.round(extend(spent.tokens, recent.tokens)),
    costUsd: extend(spent.costUsd, recent.costUsd),
  }
}
