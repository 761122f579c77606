/** The calls of one job may use so many tokens; those of one project and calendar month (UTC) so many tokens, and so much money. */
export type Budget = 'job_tokens' | 'month_tokens' | 'month_usd'

/** For projects that have no values of their own. Null: no limit. */
export interface BudgetDefaults {
  maxTokensPerJob: number
  maxTokensPerMonth: number | null
  maxUsdPerMonth: number | null
}
