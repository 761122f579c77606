import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import type { PullRequestState } from './job-outcome.ts'
import type { JobStatus } from './job-state.ts'

export interface MostAdvancedJob {
  id: Id<'job'>
  status: JobStatus
  pullRequestUrl: string | null
  pullRequestState: PullRequestState | null
}

export type FindMostAdvancedJob = (projectId: Id<'prj'>) => Promise<MostAdvancedJob | undefined>

const maxJobsConsidered = 50

/**
 * Finds the most advanced of a project's newest jobs: one with a merged pull request, else one with any pull request, else the
 * newest.
 */
export const createFindMostAdvancedJob =
  (db: Database): FindMostAdvancedJob =>
  (projectId) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('job')
          .select(['id', 'status', 'pull_request_url', 'pull_request_state'])
          .where('project_id', '=', projectId)
          .orderBy('id', 'desc')
          .limit(maxJobsConsidered)
          .as('newest'),
      )
      .select(['id', 'status', 'pull_request_url as pullRequestUrl', 'pull_request_state as pullRequestState'])
      .orderBy(sql`pull_request_state = 'merged' DESC NULLS LAST, pull_request_state IS NULL, id DESC`)
      .limit(1)
      .executeTakeFirst()
