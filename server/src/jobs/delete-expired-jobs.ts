import { sql } from 'kysely'
import type { Database } from '../database/database.ts'

/** Deletes ended jobs that are past their project's retention, with all their data. Their model usage remains counted. */
export async function deleteExpiredJobs(db: Database, limit: number): Promise<number> {
  const { rows } = await sql`
    DELETE FROM job WHERE id IN (
      SELECT job.id FROM project JOIN job ON job.project_id = project.id
      WHERE project.job_retention_days IS NOT NULL AND job.status <> 'active'
        AND job.updated_at < now() - make_interval(days => project.job_retention_days)
      LIMIT ${limit} FOR UPDATE OF job SKIP LOCKED)
    RETURNING id`.execute(db)
  return rows.length
}
