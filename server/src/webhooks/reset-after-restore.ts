/**
 * Deliveries that were pending in a backup may have been delivered since. They are not sent again: their log says why, and anyone who may
 * change the endpoint can resend them.
 */
import type { ClientBase } from 'pg'

const reason =
  'Not sent after a backup was restored, because it may have been delivered before. Resend it if it was not.'

export async function resetDeliveriesAfterRestore(client: ClientBase): Promise<void> {
  await client.query(
    `WITH ended AS (
       UPDATE endpoint_delivery SET status = 'failed', ended_at = now(), attempts = attempts + 1 WHERE status = 'pending'
       RETURNING project_id, id, attempts
     )
     INSERT INTO endpoint_attempt (project_id, delivery_id, number, error) SELECT project_id, id, attempts, $1 FROM ended`,
    [reason],
  )
  await client.query(
    'UPDATE webhook_endpoint SET lease_holder = NULL, lease_expires_at = NULL, woken_at = NULL WHERE lease_holder IS NOT NULL',
  )
}
