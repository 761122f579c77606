/** What waits to be done for jobs, in all projects. For metrics, so paused projects do not count: their work waits on purpose. */
import { sql } from 'kysely'
import type { Database } from '../database/database.ts'
import type { TurnStatus } from './job-state.ts'

type OpenTurnStatus = Extract<TurnStatus, 'queued' | 'running' | 'publishing'>

export interface JobBacklog {
  turns: Record<OpenTurnStatus, { count: number; oldestAgeSeconds: number }>
  waitingAttempts: { count: number; oldestAgeSeconds: number }
  claimedAttempts: number
  runners: { registered: number; online: number }
}

/** Reads only rows of work that is not done, which have indexes of their own: the history may be large. */
export async function readJobBacklog(db: Database, { onlineSeconds = 90 } = {}): Promise<JobBacklog> {
  // A message is queued while an earlier turn of its job runs, and becomes the next one when the job changes.
  const { rows: turns } = await sql<{ status: OpenTurnStatus; count: number; age: number }>`
    SELECT turn.status, count(*)::int AS count,
      max(extract(epoch FROM clock_timestamp() - CASE turn.status
        WHEN 'queued' THEN greatest(turn.created_at, job.updated_at)
        WHEN 'running' THEN coalesce(turn.started_at, turn.created_at)
        ELSE coalesce(turn.publishing_started_at, job.updated_at) END))::float8 AS age
    FROM turn JOIN project ON project.id = turn.project_id AND project.paused_at IS NULL
      JOIN job ON job.project_id = turn.project_id AND job.id = turn.job_id
    WHERE turn.status IN ('queued', 'running', 'publishing')
      AND (turn.status <> 'queued' OR NOT EXISTS (
        SELECT FROM turn AS current WHERE current.project_id = turn.project_id AND current.job_id = turn.job_id
          AND current.status IN ('running', 'publishing')))
    GROUP BY turn.status`.execute(db)
  const { rows: attempts } = await sql<{ waiting: number; age: number; claimed: number }>`
    SELECT count(*) FILTER (WHERE claimed_at IS NULL)::int AS waiting, count(*) FILTER (WHERE claimed_at IS NOT NULL)::int AS claimed,
      coalesce(extract(epoch FROM clock_timestamp() - min(queued_at) FILTER (WHERE claimed_at IS NULL)), 0)::float8 AS age
    FROM turn_attempt JOIN project ON project.id = turn_attempt.project_id AND project.paused_at IS NULL
    WHERE ended_at IS NULL`.execute(db)
  const { rows: runners } = await sql<{ registered: number; online: number }>`
    SELECT count(*)::int AS registered,
      count(*) FILTER (WHERE last_seen_at > now() - make_interval(secs => ${onlineSeconds}) OR EXISTS (
        SELECT FROM turn_attempt WHERE runner_id = runner.id AND claimed_at IS NOT NULL AND ended_at IS NULL))::int AS online
    FROM runner WHERE revoked_at IS NULL AND coalesce(expires_at > now(), true)`.execute(db)
  const ofStatus = (status: OpenTurnStatus) => {
    const row = turns.find((turn) => turn.status === status)
    return { count: row?.count ?? 0, oldestAgeSeconds: Math.max(0, row?.age ?? 0) }
  }
  return {
    turns: { queued: ofStatus('queued'), running: ofStatus('running'), publishing: ofStatus('publishing') },
    waitingAttempts: {
      count: attempts[0]?.waiting ?? 0,
      oldestAgeSeconds: Math.max(0, attempts[0]?.age ?? 0),
    },
    claimedAttempts: attempts[0]?.claimed ?? 0,
    runners: runners[0] ?? { registered: 0, online: 0 },
  }
}
