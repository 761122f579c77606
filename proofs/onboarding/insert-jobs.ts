/** Inserts jobs directly into PostgreSQL, because creating them through the API would take days at the hourly rate limit. */
import type { Pool } from 'pg'
import { newId } from '../../server/src/platform/ids.ts'

/** One per minute until now; nine in ten opened a pull request. */
export async function insertJobs(pool: Pool, projectId: string, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, () => newId('job'))
  await pool.query(
    `INSERT INTO job (
       project_id, id, status, title, repository, ref, model, publish, outcome, error_code, error_message,
       pull_request_number, pull_request_url, pull_request_branch, pull_request_state, created_at, updated_at
     )
     SELECT $1, id, status, 'Fix page ' || number || ' of the handbook', 'docs/handbook', 'main', 'a model', 'pull_request',
       CASE status WHEN 'completed' THEN 'pull_request' ELSE 'error' END,
       CASE status WHEN 'failed' THEN 'agent_failed' END, CASE status WHEN 'failed' THEN 'The agent gave up.' END,
       CASE status WHEN 'completed' THEN number END,
       CASE status WHEN 'completed' THEN 'https://git.example.com/docs/handbook/pulls/' || number END,
       CASE status WHEN 'completed' THEN 'colophon/' || number END, CASE status WHEN 'completed' THEN 'merged' END, at, at
     FROM (
       SELECT id, number, CASE number % 10 WHEN 0 THEN 'failed' ELSE 'completed' END AS status,
         now() - make_interval(mins => ($3::int - number)::int) AS at
       FROM unnest($2::text[]) WITH ORDINALITY AS input (id, number)
     ) AS generated`,
    [projectId, jobs, count],
  )
  await pool.query(
    `INSERT INTO turn (project_id, job_id, id, number, prompt, status, outcome, created_at, started_at, ended_at)
     SELECT project_id, job.id, turn.id, 1, title || ': read it and fix the mistakes.',
       CASE status WHEN 'failed' THEN 'failed' ELSE 'completed' END, outcome, created_at, created_at, updated_at
     FROM unnest($2::text[], $3::text[]) AS turn (job_id, id)
     JOIN job ON job.project_id = $1 AND job.id = turn.job_id`,
    [projectId, jobs, jobs.map(() => newId('trn'))],
  )
}
