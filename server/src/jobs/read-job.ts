import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { Id } from '../platform/ids.ts'
import { selectAwaitingResult } from './held-result.ts'
import { type Job, type JobRow, jobColumns, maxPromptPreviewCharacters, toJob } from './job.ts'
import { jobNotFoundProblem } from './job-transition.ts'

export const jobsQuery = (db: Database) =>
  db
    .selectFrom('job')
    .select(jobColumns)
    .select((query) =>
      query
        .selectFrom('turn')
        .select(sql<string>`left(prompt, ${sql.lit(maxPromptPreviewCharacters)})`.as('preview'))
        .whereRef('turn.project_id', '=', 'job.project_id')
        .whereRef('turn.job_id', '=', 'job.id')
        .where('turn.number', '=', 1)
        .$asScalar()
        .$notNull()
        .as('prompt'),
    )
    .select((query) =>
      query
        .selectFrom('turn')
        .select(sql<string>`count(*)`.as('count'))
        .whereRef('turn.project_id', '=', 'job.project_id')
        .whereRef('turn.job_id', '=', 'job.id')
        .where('turn.status', '=', 'queued')
        .where('turn.number', '>', 1)
        .$asScalar()
        .$notNull()
        .as('queued_messages'),
    )
    .select((query) =>
      query
        .selectFrom('job_usage')
        .select(
          sql<Job['usage'] | null>`json_build_object(
            'inputTokens', input_tokens, 'outputTokens', output_tokens, 'costUsd', cost_usd)`.as('counts'),
        )
        .whereRef('job_usage.project_id', '=', 'job.project_id')
        .whereRef('job_usage.job_id', '=', 'job.id')
        .as('usage'),
    )
    .select((query) =>
      selectAwaitingResult(query)
        .select(
          sql<JobRow['approval']>`json_build_object('diffSha256', diff_sha256, 'isDiffComplete', is_diff_complete,
            'reasons', reasons, 'newHosts', held_result.new_hosts, 'requestedAt', held_at)`.as('pending'),
        )
        .as('approval'),
    )

export async function readJob(db: Database, projectId: Id<'prj'>, jobId: Id<'job'>): Promise<Job> {
  const row = await jobsQuery(db)
    .select('pull_request_check_logs')
    .where('job.project_id', '=', projectId)
    .where('job.id', '=', jobId)
    .executeTakeFirst()
  if (!row) throw jobNotFoundProblem()
  return toJob(row)
}
