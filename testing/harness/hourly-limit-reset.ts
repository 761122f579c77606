/** Resets the hourly rate limits by backdating rows. Proofs never shorten the hour itself. */
import type { TestInstance } from './test-instance.ts'

export type ResetHourlyLimits = () => Promise<void>

/** Applies to every project of the instance. Queued follow-ups are also marked as completed. */
export function createHourlyLimitReset({ pool }: Pick<TestInstance, 'pool'>): ResetHourlyLimits {
  return async () => {
    await pool.query(`UPDATE job SET ${oneHourEarlier} WHERE ${withinLastHour}`)
    // Jobs are locked before their turns, as the service does it. Otherwise PostgreSQL would abort one of the two for a deadlock.
    await pool.query(
      `WITH followed_up AS (
         SELECT id FROM job
         WHERE EXISTS (SELECT FROM turn WHERE job_id = job.id AND number > 1 AND turn.${withinLastHour})
         ORDER BY id FOR NO KEY UPDATE
       )
       UPDATE turn SET ${oneHourEarlier}, status = 'completed'
       WHERE job_id IN (SELECT id FROM followed_up) AND number > 1 AND ${withinLastHour}`,
    )
  }
}

const oneHourEarlier = "created_at = created_at - interval '1 hour'"
const withinLastHour = "created_at > now() - interval '1 hour'"
