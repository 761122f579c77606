/** Records who did what. Insert only, and in the transaction of the action, so that neither exists without the other. */
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { AuditedProject } from './tables.ts'

/** The operator at the command line (`colophon-server admin`), an API key, or a person who is signed in. */
export type Actor =
  | { kind: 'operator' }
  | { kind: 'key'; keyId: Id<'key'>; requestId: string }
  | { kind: 'person'; email: string; requestId: string | null }

/** Some changes happen on the code host, and Colophon only observes them. */
export type AuditedActor = Actor | { kind: 'code-host' }

export type AuditAction =
  | 'project.created'
  | 'project.renamed'
  | 'project.instructions_changed'
  | 'project.settings_changed'
  | 'project.paused'
  | 'project.resumed'
  | 'member.invited'
  | 'invitation.revoked'
  | 'invitation.taken_over'
  | 'member.added'
  | 'member.role_changed'
  | 'member.removed'
  | 'member.disabled'
  | 'member.enabled'
  | 'key.created'
  | 'key.revoked'
  | 'key.taken_over'
  | 'credential.stored'
  | 'repository.connected'
  | 'repository.changed'
  | 'repository.rules_changed'
  | 'repository.renamed'
  | 'repository.issue_changed'
  | 'budget.changed'
  | 'runner.created'
  | 'runner.revoked'
  | 'runner.taken_over'
  | 'runner.token_rotated'
  | 'job.created'
  | 'job.message_sent'
  | 'job.cancelled'
  | 'job.archived'
  | 'job.approved'
  | 'job.rejected'
  | 'analytics.settings_changed'
  | 'site_key.created'
  | 'site_key.revoked'

/** What operators and administrators do to the people of the instance, in no particular project. */
type InstanceAuditAction =
  | 'person.disabled'
  | 'person.enabled'
  | 'person.deleted'
  | 'person.sessions_ended'
  | 'operator.added'
  | 'operator.revoked'

interface AuditInput<Action> {
  action: Action
  /** The id of the affected object. */
  subject: string
  detail: Record<string, unknown>
}

export interface AuditEntry extends AuditInput<AuditAction | InstanceAuditAction> {
  id: Id<'aud'>
  at: Date
  /** `operator`, `code-host`, a key's id, or a person's email address; their ID if they were deleted. */
  actor: string
  requestId: string | null
}

export async function recordAudit(
  tx: DatabaseTransaction,
  projectId: Id<'prj'>,
  actor: AuditedActor,
  input: AuditInput<AuditAction>,
): Promise<void> {
  await insertEntry(tx, projectId, actor, input)
}

export async function recordInstanceAudit(
  tx: DatabaseTransaction,
  actor: Actor,
  input: AuditInput<InstanceAuditAction>,
): Promise<void> {
  await insertEntry(tx, 'instance', actor, input)
}

async function insertEntry(
  tx: DatabaseTransaction,
  projectId: AuditedProject,
  actor: AuditedActor,
  { action, subject, detail }: AuditInput<AuditAction | InstanceAuditAction>,
): Promise<void> {
  await tx
    .insertInto('audit_entry')
    .values({
      project_id: projectId,
      id: newId('aud'),
      actor: formatActor(actor),
      action,
      subject,
      detail: JSON.stringify(detail),
      request_id: 'requestId' in actor ? actor.requestId : null,
    })
    .execute()
}

export function formatActor(actor: AuditedActor): string {
  switch (actor.kind) {
    case 'operator':
    case 'code-host':
      return actor.kind
    case 'key':
      return actor.keyId
    case 'person':
      return actor.email
  }
}

export class AuditStore {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  /** Newest first; `before` is the last id of the previous page. */
  async list(
    projectId: AuditedProject,
    { limit, before }: { limit: number; before: string | undefined },
  ): Promise<AuditEntry[]> {
    let query = this.#db.selectFrom('audit_entry').selectAll().where('project_id', '=', projectId)
    if (before !== undefined) query = query.where('id', '<', before as Id<'aud'>) // any text can be compared with an id
    const rows = await query.orderBy('id', 'desc').limit(limit).execute()
    return rows.map(({ id, at, actor, action, subject, detail, request_id }) => ({
      id,
      at,
      actor,
      action: action as AuditEntry['action'],
      subject,
      detail,
      requestId: request_id,
    }))
  }
}
