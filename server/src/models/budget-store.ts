import { sql } from 'kysely'
import { type Actor, recordAudit } from '../audit/audit-store.ts'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import { type Ceilings, type ConfiguredCeilings, type ProjectBudget, resolveCeilings } from './budget.ts'

export class BudgetStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** With the usage of the current month (UTC). Calls in progress count with the maximum that they reserved. */
  async read(projectId: Id<'prj'>): Promise<{ own: ProjectBudget; used: { tokens: number; costUsd: number } }> {
    const [own, month] = await Promise.all([
      readProjectBudget(this.#db, projectId),
      this.#db
        .selectFrom('model_month')
        .select(['tokens', 'cost_usd'])
        .where('project_id', '=', projectId)
        .where('month', '=', sql<Date>`date_trunc('month', now() AT TIME ZONE 'UTC')::date`)
        .executeTakeFirst(),
    ])
    return { own, used: { tokens: Number(month?.tokens ?? 0), costUsd: Number(month?.cost_usd ?? 0) } }
  }

  /** The operator's limits as they apply to this instance. */
  async readCeilings(configured: ConfiguredCeilings): Promise<Ceilings> {
    return readCeilings(this.#db, configured)
  }

  /** Hours that no call can be settled in any more. */
  async deleteExpiredHours(): Promise<void> {
    await this.#db
      .deleteFrom('model_period')
      .where('period', '=', 'hour')
      .where('starts_at', '<', sql<Date>`now() - interval '7 days'`)
      .execute()
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

export async function readProjectBudget(db: Database, projectId: Id<'prj'>): Promise<ProjectBudget> {
  const budget = await db
    .selectFrom('project_budget')
    .selectAll()
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return {
    maxTokensPerJob: toNumber(budget?.max_tokens_per_job),
    maxTokensPerMonth: toNumber(budget?.max_tokens_per_month),
    maxUsdPerMonth: toNumber(budget?.max_usd_per_month),
  }
}

export async function readCeilings(db: Database, configured: ConfiguredCeilings): Promise<Ceilings> {
  const row = await db.selectFrom('instance_budget').select('has_default_limits').executeTakeFirstOrThrow()
  return resolveCeilings(configured, { hasDefaultLimits: row.has_default_limits })
}

const toNumber = (decimal: string | null | undefined) => (decimal == null ? null : Number(decimal))
