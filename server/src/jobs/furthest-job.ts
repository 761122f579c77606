import { type Kysely, sql } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { JobStatus } from './job-state.ts'
import type { PullRequestState } from './outcome.ts'
import type { JobTables } from './tables.ts'

export interface FurthestJob {
  id: Id<'job'>
  status: JobStatus
  pullRequestUrl: string | null
  pullRequestState: PullRequestState | null
}

export type FindFurthestJob = (projectId: Id<'prj'>) => Promise<FurthestJob | undefined>

const newestJobs = 50

/** Of a project's newest jobs the one that came furthest: to a merged pull request, to one at all, or to be made. */
export const createFindFurthestJob =
  (db: Kysely<JobTables>): FindFurthestJob =>
  (projectId) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('job')
          .select(['id', 'status', 'pull_request_url', 'pull_request_state'])
          .where('project_id', '=', projectId)
          .orderBy('id', 'desc')
          .limit(newestJobs)
          .as('newest'),
      )
      .select(['id', 'status', 'pull_request_url as pullRequestUrl', 'pull_request_state as pullRequestState'])
      .orderBy(sql`pull_request_state = 'merged' DESC NULLS LAST, pull_request_state IS NULL, id DESC`)
      .limit(1)
      .executeTakeFirst()
