import type { ColumnType, Generated } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { BudgetKind, NoticePercent, SpendScope } from './budget.ts'
import type { ModelFormat } from './model.ts'

/** The driver returns `numeric` and `bigint` as text. */
type Decimal = ColumnType<string, string | number, string | number>
type NullableDecimal = ColumnType<string | null, string | number | null, string | number | null>

export interface ModelTables {
  model: {
    name: string
    format: ModelFormat
    base_url: string
    provider_model: string
    context_window_tokens: number
    max_output_tokens: number
    input_price: NullableDecimal
    output_price: NullableDecimal
    cache_read_price: NullableDecimal
    cache_write_price: NullableDecimal
    sealed_key: Uint8Array | null
    project_ids: Id<'prj'>[] | null
    is_default: boolean
    created_at: Generated<Date>
  }
  project_budget: {
    project_id: Id<'prj'>
    max_tokens_per_job: NullableDecimal
    max_tokens_per_month: NullableDecimal
    max_usd_per_month: NullableDecimal
  }
  model_call: {
    project_id: Id<'prj'>
    id: Id<'mcl'>
    job_id: Id<'job'>
    turn_id: Id<'trn'>
    model: string
    month: Date
    input_tokens: Decimal
    cache_read_tokens: Generated<Decimal>
    cache_write_tokens: Generated<Decimal>
    output_tokens: Decimal
    tokens: ColumnType<string, never, never>
    cost_usd: NullableDecimal
    reserved_at: Generated<Date>
    settled_at: Generated<Date | null>
  }
  model_month: {
    project_id: Id<'prj'>
    month: Date
    tokens: Decimal
    cost_usd: Decimal
  }
  model_period: {
    scope: SpendScope
    period: 'hour' | 'month'
    starts_at: Date
    tokens: Decimal
    cost_usd: Decimal
  }
  model_day: {
    project_id: Id<'prj'>
    day: Date
    model: string
    calls: Decimal
    tokens: Decimal
    cost_usd: Decimal
    unpriced_tokens: Decimal
  }
  instance_budget: { has_default_limits: boolean }
  budget_notice: {
    scope: SpendScope
    month: Date
    percent: NoticePercent
    unit: 'tokens' | 'usd'
    used: Decimal
    max: Decimal
    reached_at: Generated<Date>
  }
  budget_notice_email: {
    scope: SpendScope
    month: Date
    percent: NoticePercent
    email: string
    failed_attempts: Generated<number>
    due_at: Generated<Date>
  }
  turn_over_budget: {
    turn_id: Id<'trn'>
    budget: BudgetKind
    at: Generated<Date>
  }
}
