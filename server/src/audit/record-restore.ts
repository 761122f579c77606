import type { ClientBase } from 'pg'
import { newId } from '../platform/ids.ts'
import { formatActor, type InstanceAuditAction } from './audit-store.ts'

/** In the transaction of the restore, which has no pool: neither exists without the other. */
export async function recordRestore(client: ClientBase, folder: string): Promise<void> {
  const action: InstanceAuditAction = 'backup.restored'
  await client.query(
    `INSERT INTO audit_entry (project_id, id, actor, action, subject, detail) VALUES ('instance', $1, $2, $3, 'instance', $4)`,
    [newId('aud'), formatActor({ kind: 'operator' }), action, JSON.stringify({ backup: folder })],
  )
}
