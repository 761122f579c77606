import type { Kysely } from 'kysely'
import type { Actor, RecordAudit } from '../audit/audit-store.ts'
import type { Id } from '../platform/ids.ts'
import type { ModelTables } from './tables.ts'

/** Null: as the operator's settings have it for all projects. */
export interface ProjectBudget {
  jobMostTokens: number | null
  monthMostTokens: number | null
  monthMostUsd: number | null
}

export class BudgetStore {
  readonly #db: Kysely<ModelTables>
  readonly #recordAudit: RecordAudit

  constructor(db: Kysely<ModelTables>, recordAudit: RecordAudit) {
    this.#db = db
    this.#recordAudit = recordAudit
  }

  /** Holds from the next call on. */
  async set(projectId: Id<'prj'>, budget: ProjectBudget, actor: Actor): Promise<void> {
    const row = {
      job_most_tokens: budget.jobMostTokens,
      month_most_tokens: budget.monthMostTokens,
      month_most_usd: budget.monthMostUsd,
    }
    await this.#db.transaction().execute(async (tx) => {
      await tx
        .insertInto('project_budget')
        .values({ project_id: projectId, ...row })
        .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row))
        .execute()
      await this.#recordAudit(tx, projectId, actor, {
        action: 'budget.set',
        subject: projectId,
        detail: { ...budget },
      })
    })
  }
}
