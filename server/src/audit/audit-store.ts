/** Records who did what. Insert only, and in the transaction of the action, so that neither exists without the other. */
import { type Selectable, sql } from 'kysely'
import type { Database, DatabaseTransaction } from '../database/database.ts'
import { type Id, newId } from '../platform/ids.ts'
import type { AuditedProject, AuditTables } from './tables.ts'

/** The operator at the command line (`colophon-server admin`), an API key, or a person who is signed in. */
export type Actor =
  | { kind: 'operator' }
  | ({ kind: 'key'; keyId: Id<'key'> } & AuditedRequest)
  | ({ kind: 'person'; email: string } & Partial<AuditedRequest>)

export interface AuditedRequest {
  requestId: string
  ipAddress: string
}

/**
 * Some changes happen on the code host, and Colophon only observes them. A person who fails to sign in is anonymous. A federated identity gets
 * a key for a CI run.
 */
export type AuditedActor =
  | Actor
  | { kind: 'code-host' }
  | ({ kind: 'federated-identity'; identityId: Id<'fid'> } & AuditedRequest)
  | ({ kind: 'anonymous' } & AuditedRequest)

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
  | 'second_factor.required'
  | 'second_factor.not_required'
  | 'member.disabled'
  | 'member.enabled'
  | 'key.created'
  | 'key.revoked'
  | 'key.taken_over'
  | 'federated_identity.created'
  | 'federated_identity.deleted'
  | 'federated_identity.taken_over'
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
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.enabled'
  | 'webhook.disabled'
  | 'webhook.secret_rotated'
  | 'webhook.deleted'
  | 'webhook.resent'
  | 'analytics.settings_changed'
  | 'log_drain.created'
  | 'log_drain.changed'
  | 'log_drain.deleted'
  | 'site_key.created'
  | 'site_key.revoked'
  | 'access.denied'

/** What happens to the instance, in no particular project. */
export type InstanceAuditAction =
  | 'session.started'
  | 'session.failed'
  | 'session.ended'
  | 'session.other_ended'
  | 'session.others_ended'
  | 'password.changed'
  | 'password.reset'
  | 'password_link.created'
  | 'provider.linked'
  | 'second_factor.set_up'
  | 'second_factor.removed'
  | 'second_factor.recovery_codes_created'
  | 'passkey.added'
  | 'passkey.removed'
  | 'model.added'
  | 'model.removed'
  | 'model.made_default'
  | 'model.projects_changed'
  | 'github_app.stored'
  | 'secrets.resealed'
  | 'backup.restored'
  | 'instance.recovered'
  | 'access.denied'
  | 'person.disabled'
  | 'person.enabled'
  | 'person.deleted'
  | 'person.sessions_ended'
  | 'operator.added'
  | 'operator.revoked'
  | 'project.deleted'
  | 'project.webhook_left'

export interface AuditInput<Action> {
  action: Action
  /** The id of the affected object. */
  subject: string
  detail: Record<string, unknown>
}

export interface AuditEntry extends AuditInput<AuditAction | InstanceAuditAction> {
  id: Id<'aud'>
  at: Date
  /**
   * `operator`, `code-host`, `anonymous`, the ID of a key or a federated identity, or a person's email address; their ID if they were deleted.
   */
  actor: string
  requestId: string | null
  ipAddress: string | null
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
  actor: AuditedActor,
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
      request_id: ('requestId' in actor && actor.requestId) || null,
      ip_address: ('ipAddress' in actor && actor.ipAddress) || null,
    })
    .execute()
}

export function formatActor(actor: AuditedActor): string {
  switch (actor.kind) {
    case 'operator':
    case 'code-host':
    case 'anonymous':
      return actor.kind
    case 'key':
      return actor.keyId
    case 'federated-identity':
      return actor.identityId
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
    return rows.map(toAuditEntry)
  }

  /** All entries, newest first, read in pages while the caller takes them. */
  async *readAll(projectId: AuditedProject): AsyncGenerator<AuditEntry> {
    for (let before: string | undefined; ; ) {
      const page = await this.list(projectId, { limit: exportPageSize, before })
      yield* page
      before = page.at(-1)?.id
      if (page.length < exportPageSize) return
    }
  }

  /** For events that change nothing in the database. */
  async recordInstanceEvent(actor: AuditedActor, input: AuditInput<InstanceAuditAction>): Promise<void> {
    await this.#db.transaction().execute((tx) => recordInstanceAudit(tx, actor, input))
  }

  /** Someone tried something that they have no right to do. */
  async recordDenial(
    projectId: AuditedProject,
    actor: AuditedActor,
    detail: { route: string; code: string },
  ): Promise<void> {
    await this.#db
      .transaction()
      .execute((tx) => insertEntry(tx, projectId, actor, { action: 'access.denied', subject: projectId, detail }))
  }

  /** Deletes some of the entries past the retention. Returns how many. The database keeps entries for at least 90 days. */
  async deleteExpired({ retentionDays, limit }: { retentionDays: number; limit: number }): Promise<number> {
    return this.#db.transaction().execute(async (tx) => {
      await sql`SELECT set_config('colophon.audit_retention', 'on', true)`.execute(tx)
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM audit_entry WHERE ctid IN (
          SELECT ctid FROM audit_entry WHERE at < now() - make_interval(days => ${retentionDays}) LIMIT ${limit})`.execute(
        tx,
      )
      return Number(numAffectedRows)
    })
  }

  /**
   * Removes what was entered and the IP address from failed sign-ins that are older than 90 days: long enough to investigate an attack.
   * Returns how many.
   */
  async anonymizeFailedSignIns(limit: number): Promise<number> {
    const { rows } = await sql<{
      changed: number
    }>`SELECT anonymize_failed_sign_ins(${failedSignInDays}, ${limit}) AS changed`.execute(this.#db)
    return rows[0]?.changed ?? 0
  }
}

/** The database does not allow it earlier. */
export const failedSignInDays = 90

const exportPageSize = 1_000

export const toAuditEntry = (row: Selectable<AuditTables['audit_entry']>): AuditEntry => ({
  id: row.id,
  at: row.at,
  actor: row.actor,
  action: row.action as AuditEntry['action'],
  subject: row.subject,
  detail: row.detail,
  requestId: row.request_id,
  ipAddress: row.ip_address,
})
