import type { ColumnType, Generated } from 'kysely'
import type { AuditTables } from '../audit/tables.ts'
import type { Id } from '../platform/ids.ts'
import type { Budget } from './budget.ts'
import type { ModelFormat } from './model.ts'

/** PostgreSQL's `numeric` and `bigint` come as text. */
type Exact = ColumnType<string, string | number, string | number>
type ExactOrNull = ColumnType<string | null, string | number | null, string | number | null>

export interface ModelTables extends AuditTables {
  model: {
    name: string
    format: ModelFormat
    base_url: string
    provider_model: string
    context_window_tokens: number
    max_output_tokens: number
    input_price: ExactOrNull
    output_price: ExactOrNull
    cache_read_price: ExactOrNull
    cache_write_price: ExactOrNull
    sealed_key: Uint8Array | null
    project_ids: Id<'prj'>[] | null
    is_default: boolean
    created_at: Generated<Date>
  }
  project_budget: {
    project_id: Id<'prj'>
    max_tokens_per_job: ExactOrNull
    max_tokens_per_month: ExactOrNull
    max_usd_per_month: ExactOrNull
  }
  model_call: {
    project_id: Id<'prj'>
    id: Id<'mcl'>
    job_id: Id<'job'>
    turn_id: Id<'trn'>
    model: string
    month: Date
    input_tokens: Exact
    cache_read_tokens: Generated<Exact>
    cache_write_tokens: Generated<Exact>
    output_tokens: Exact
    tokens: ColumnType<string, never, never>
    cost_usd: ExactOrNull
    reserved_at: Generated<Date>
    settled_at: Generated<Date | null>
  }
  model_month: {
    project_id: Id<'prj'>
    month: Date
    tokens: Exact
    cost_usd: Exact
  }
  turn_over_budget: {
    turn_id: Id<'trn'>
    budget: Budget
    at: Generated<Date>
  }
  job: { project_id: Id<'prj'>; id: Id<'job'> }
  project: { id: Id<'prj'>; default_model: string | null }
}
