/** Compares totals with ceilings, and with the calls that they are made of. */
import type pg from 'pg'
import type { SeenUsage } from './lying-agents.ts'

/** Null: no limit. */
export interface ScopeLimits {
  jobTokens: number
  projectMonthTokens: number | null
  projectHourTokens: number | null
  instanceHourUsd: number | null
  instanceMonthTokens: number | null
}

export type ProjectUsdLimits = ReadonlyMap<string, number>

/** By how much each ceiling was passed at most, in tokens or US dollars. Negative: it was not reached. */
export type Overruns = Map<string, number>

export async function measureOverruns(
  pool: pg.Pool,
  limits: ScopeLimits,
  projectUsd: ProjectUsdLimits,
  overruns: Overruns,
): Promise<void> {
  const record = (name: string, used: number, max: number | null) => {
    if (max !== null) overruns.set(name, Math.max(overruns.get(name) ?? Number.NEGATIVE_INFINITY, used - max))
  }
  const jobs = await pool.query<{ tokens: number }>(
    'SELECT sum(tokens)::float AS tokens FROM model_call GROUP BY job_id',
  )
  for (const { tokens } of jobs.rows) record('tokens of a job', tokens, limits.jobTokens)
  const months = await pool.query<{ project_id: string; tokens: number; usd: number }>(
    'SELECT project_id, tokens::float, cost_usd::float AS usd FROM model_month',
  )
  for (const { project_id, tokens, usd } of months.rows) {
    record('tokens of a project per month', tokens, limits.projectMonthTokens)
    record('dollars of a project per month', usd, projectUsd.get(project_id) ?? null)
  }
  const periods = await pool.query<{ scope: string; period: string; tokens: number; usd: number }>(
    'SELECT scope, period, tokens::float, cost_usd::float AS usd FROM model_period',
  )
  for (const { scope, period, tokens, usd } of periods.rows) {
    if (scope !== 'instance') record('tokens of a project per hour', tokens, limits.projectHourTokens)
    else if (period === 'hour') record('dollars of the instance per hour', usd, limits.instanceHourUsd)
    else record('tokens of the instance per month', tokens, limits.instanceMonthTokens)
  }
}

const sumOfCalls = (columns: string) =>
  `SELECT ${columns}, sum(tokens) AS tokens, sum(cost_usd) AS cost_usd FROM model_call GROUP BY 1, 2`

/** Totals that differ from the sum of their calls, in tokens or by any fraction of a cent. */
export async function findWrongTotals(pool: pg.Pool): Promise<string[]> {
  const hour = "date_trunc('hour', reserved_at, 'UTC')"
  const comparisons = {
    'a month of a project': [
      sumOfCalls('project_id AS a, month::text AS b'),
      'SELECT project_id AS a, month::text AS b, tokens, cost_usd FROM model_month',
    ],
    'a day of a model': [
      sumOfCalls("project_id AS a, (reserved_at AT TIME ZONE 'UTC')::date || model AS b"),
      'SELECT project_id AS a, day || model AS b, tokens, cost_usd FROM model_day',
    ],
    'an hour of a project': [
      sumOfCalls(`project_id AS a, ${hour}::text AS b`),
      "SELECT scope AS a, starts_at::text AS b, tokens, cost_usd FROM model_period WHERE scope <> 'instance'",
    ],
    'an hour of the instance': [
      sumOfCalls(`'instance' AS a, ${hour}::text AS b`),
      "SELECT scope AS a, starts_at::text AS b, tokens, cost_usd FROM model_period WHERE scope = 'instance' AND period = 'hour'",
    ],
    'a month of the instance': [
      sumOfCalls("'instance' AS a, (month::timestamp AT TIME ZONE 'UTC')::text AS b"),
      "SELECT scope AS a, starts_at::text AS b, tokens, cost_usd FROM model_period WHERE scope = 'instance' AND period = 'month'",
    ],
  }
  const wrong: string[] = []
  for (const [name, [calls, totals]] of Object.entries(comparisons)) {
    const { rows } = await pool.query(
      `SELECT a, b, calls.tokens AS call_tokens, totals.tokens, calls.cost_usd AS call_cost, totals.cost_usd AS cost
       FROM (${calls}) AS calls FULL JOIN (${totals}) AS totals USING (a, b)
       WHERE (calls.tokens, calls.cost_usd) IS DISTINCT FROM (totals.tokens, totals.cost_usd)`,
    )
    wrong.push(...rows.map((row) => `${name}: ${JSON.stringify(row)}`))
  }
  return wrong
}

/** Reported usage that an agent has seen, and that is not in exactly one call. */
export async function findWrongUsage(pool: pg.Pool, seen: readonly SeenUsage[]): Promise<string[]> {
  const { rows } = await pool.query<{ key: string; count: number }>(
    `SELECT concat_ws(' ', job_id, input_tokens, cache_read_tokens, output_tokens) AS key, count(*)::int AS count
     FROM model_call WHERE settled_at IS NOT NULL GROUP BY 1`,
  )
  const counts = new Map(rows.map(({ key, count }) => [key, count]))
  return seen
    .map(({ jobId, inputTokens, cacheReadTokens, outputTokens }) =>
      [jobId, inputTokens, cacheReadTokens, outputTokens].join(' '),
    )
    .filter((key) => counts.get(key) !== 1)
    .map((key) => `${key}: ${counts.get(key) ?? 0} calls`)
}
