/** The hour of the limits is never made shorter for a proof: what was made in it is made older. */
import pg from 'pg'
import type { ProofRun } from '../proof.ts'
import type { RunningService } from './running-service.ts'

export type LetAnHourPass = () => Promise<void>

/** In every project of the service; and what waited in a job's queue was worked on meanwhile. */
export function passingHours(run: ProofRun, { instance }: Pick<RunningService, 'instance'>): LetAnHourPass {
  const pool = new pg.Pool({ connectionString: instance.postgresUrl, max: 1 })
  run.cleanUp(() => pool.end())
  return async () => {
    await pool.query(`UPDATE job SET ${anHourEarlier} WHERE ${withinTheHour}`)
    // Jobs are locked before their turns, as the service does it, or one of the two would be refused for a deadlock.
    await pool.query(
      `WITH written_to AS (
         SELECT id FROM job
         WHERE EXISTS (SELECT FROM turn WHERE job_id = job.id AND number > 1 AND turn.${withinTheHour})
         ORDER BY id FOR NO KEY UPDATE
       )
       UPDATE turn SET ${anHourEarlier}, status = 'completed'
       WHERE job_id IN (SELECT id FROM written_to) AND number > 1 AND ${withinTheHour}`,
    )
  }
}

const anHourEarlier = "created_at = created_at - interval '1 hour'"
const withinTheHour = "created_at > now() - interval '1 hour'"
