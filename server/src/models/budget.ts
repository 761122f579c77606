/**
 * Limits for model calls: tokens per job, tokens per project per calendar month (UTC), and US dollars per project per
 * month.
 */
export type BudgetKind = 'job_tokens' | 'month_tokens' | 'month_usd'

/** For projects that set no budget. Null: no limit. */
export interface BudgetDefaults {
  maxTokensPerJob: number
  maxTokensPerMonth: number | null
  maxUsdPerMonth: number | null
}
