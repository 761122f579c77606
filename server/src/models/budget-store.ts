import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'

/** Null: the default of the instance applies. */
export interface ProjectBudget {
  maxTokensPerJob: number | null
  maxTokensPerMonth: number | null
  maxUsdPerMonth: number | null
}

export class BudgetStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** With the usage of the current month (UTC). Calls in progress count with the maximum that they reserved. */
  async read(projectId: Id<'prj'>): Promise<{ own: ProjectBudget; used: { tokens: number; costUsd: number } }> {
    const [budget, month] = await Promise.all([
      this.#db.selectFrom('project_budget').selectAll().where('project_id', '=', projectId).executeTakeFirst(),
      this.#db
        .selectFrom('model_month')
        .select(['tokens', 'cost_usd'])
        .where('project_id', '=', projectId)
        .where('month', '=', sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`)
        .executeTakeFirst(),
    ])
    return {
      own: {
        maxTokensPerJob: toNumber(budget?.max_tokens_per_job),
        maxTokensPerMonth: toNumber(budget?.max_tokens_per_month),
        maxUsdPerMonth: toNumber(budget?.max_usd_per_month),
      },
      used: { tokens: Number(month?.tokens ?? 0), costUsd: Number(month?.cost_usd ?? 0) },
    }
  }

  /** Takes effect from the next model call. */
  async set(projectId: Id<'prj'>, budget: ProjectBudget, actor: Actor): Promise<void> {
    await this.#db.transaction().execute((tx) => this.setInTransaction(tx, projectId, budget, actor))
  }

  /** In the transaction of the caller. */
  async setInTransaction(
    tx: DatabaseTransaction,
    projectId: Id<'prj'>,
    budget: ProjectBudget,
    actor: Actor,
  ): Promise<void> {
    const row = {
      max_tokens_per_job: budget.maxTokensPerJob,
      max_tokens_per_month: budget.maxTokensPerMonth,
      max_usd_per_month: budget.maxUsdPerMonth,
    }
    await tx
      .insertInto('project_budget')
      .values({ project_id: projectId, ...row })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
      .execute()
    await recordAudit(tx, projectId, actor, {
      action: 'budget.changed',
      subject: projectId,
      detail: { ...budget },
    })
  }
}

const toNumber = (decimal: string | null | undefined) => (decimal == null ? null : Number(decimal))
