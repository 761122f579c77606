/** What became of the pull requests that jobs opened: asked of the code host now and then, and at once when it hints. */
import { type Kysely, sql } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { PullRequestState } from './outcome.ts'
import type { JobTables } from './tables.ts'

export interface DuePullRequest {
  projectId: Id<'prj'>
  jobId: Id<'job'>
  number: number
}

export class PullRequestStore {
  readonly #db: Kysely<JobTables>

  constructor(db: Kysely<JobTables>) {
    this.#db = db
  }

  async hint(projectId: Id<'prj'>, number: number): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({ pull_request_due_at: sql<Date>`now()` })
      .where('project_id', '=', projectId)
      .where('pull_request_number', '=', String(number))
      .execute()
  }

  /** Each is taken by one replica only, and is due again later, whether or not that replica lives to ask. */
  async takeDue(askAgainSeconds: number, limit: number): Promise<DuePullRequest[]> {
    const rows = await this.#db
      .updateTable('job')
      .set({ pull_request_due_at: sql<Date>`now() + make_interval(secs => ${askAgainSeconds})` })
      .where('id', 'in', (query) =>
        query
          .selectFrom('job')
          .select('id')
          .where('pull_request_state', 'is not', null)
          .where('pull_request_due_at', '<=', sql<Date>`now()`)
          .orderBy('pull_request_due_at')
          .limit(limit)
          .forUpdate()
          .skipLocked(),
      )
      .returning(['project_id', 'id', 'pull_request_number'])
      .execute()
    return rows.map(({ project_id, id, pull_request_number }) => ({
      projectId: project_id,
      jobId: id,
      number: Number(pull_request_number),
    }))
  }

  /** A merged or closed one is asked for no more, unless the host hints: a closed one can be opened again. */
  async record({ jobId, number }: DuePullRequest, state: PullRequestState): Promise<void> {
    await this.#db
      .updateTable('job')
      .set({
        pull_request_state: state,
        updated_at: sql<Date>`now()`,
        ...(state !== 'open' && { pull_request_due_at: null }),
      })
      .where('id', '=', jobId)
      .where('pull_request_number', '=', String(number))
      .where('pull_request_state', '<>', state)
      .execute()
  }
}
