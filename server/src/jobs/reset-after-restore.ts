/**
 * Jobs of a restored backup go on where they were. The runners, workers and workflows that had them are gone, or belong to a time that was
 * lost, so that nothing may wait for them or be refused because of them. Turns get their time again: the backup may be days old.
 */
import type { ClientBase } from 'pg'

export async function resetJobsAfterRestore(client: ClientBase): Promise<void> {
  await client.query('UPDATE turn_attempt SET ended_at = clock_timestamp() WHERE ended_at IS NULL')
  await client.query(
    `UPDATE turn SET started_at = clock_timestamp(), deadline_at = NULL, queued_by_scheduled_at = NULL, queued_by_attempt = NULL
     WHERE status = 'running'`,
  )
  await client.query(
    `UPDATE turn SET publishing_started_at = clock_timestamp(), publish_lease_holder = NULL, publish_lease_expires_at = NULL
     WHERE status = 'publishing'`,
  )
  // Due at once. With '-infinity', the age of the oldest job could not be computed.
  await client.query("UPDATE job SET progressed_at = 'epoch', stalled_wakes = 0 WHERE status = 'active'")
}
