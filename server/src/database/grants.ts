/**
 * What the database roles of `api` and `worker` may do: with each table what its code does, and no more. The admin commands and the import
 * of logs run with the role of `api`, except for `admin secrets reseal`, which has the role of `worker`. `migrate` owns everything.
 *
 * Rows that are deleted or changed by a foreign key need no privilege, and neither do identity columns.
 */
import type { Grants, TablePrivileges } from '../platform/migrations/reconcile-grants.ts'

const nothing: TablePrivileges = {}
const read: TablePrivileges = { select: true }
const append: TablePrivileges = { select: true, insert: true }
const write: TablePrivileges = { select: true, insert: true, update: true }
const all: TablePrivileges = { select: true, insert: true, update: true, delete: true }

/** For the retention: rows are selected by this column alone. */
const expire = (column: string): TablePrivileges => ({ select: [column], delete: true })

/** Without the time, which is always that of the transaction: an entry of the past could be deleted at once. */
const auditEntryColumns = ['project_id', 'id', 'actor', 'action', 'subject', 'detail', 'request_id', 'ip_address']

export const grants: Grants = {
  tables: {
    schema_migration: { api: read, worker: read },
    instance_upgrade: { api: read, worker: read }, // the owner changes it
    instance_backup: { api: read, worker: read }, // the owner writes backups
    instance_backup_schedule: { api: read, worker: read },

    // Neither can change what is in the log. `worker` deletes expired entries, and the trigger keeps it from deleting others. Old failed
    // sign-ins are made anonymous by anonymize_failed_sign_ins().
    audit_entry: {
      api: { select: true, insert: auditEntryColumns },
      worker: { select: true, insert: auditEntryColumns, delete: true },
    },
    // The trigger of audit_entry queues entries, as the role that writes them.
    audit_export: { api: { insert: ['id', 'project_id'] }, worker: all },
    audit_export_target: { api: read, worker: all },

    // People sign in to `api`. `worker` cannot read passwords, sessions or links. People are deleted by delete_person().
    person: { api: write, worker: { select: ['id', 'email', 'disabled_at'] } },
    person_account: { api: all, worker: nothing },
    person_session: { api: all, worker: expire('expires_at') },
    person_verification: { api: all, worker: expire('expires_at') },
    person_two_factor: { api: all, worker: nothing },
    person_network: { api: write, worker: expire('last_signed_in_at') },
    one_time_link: { api: all, worker: expire('expires_at') },
    person_passkey: { api: all, worker: nothing },
    passkey_challenge: { api: all, worker: expire('expires_at') },
    used_totp_code: { api: append, worker: expire('used_at') },
    sign_in_counter: { api: write, worker: expire('last_failed_at') },
    failed_sign_in: { api: all, worker: nothing },
    // `worker` sends email to members, and deletes what belongs to deleted projects, here and below.
    project_member: { api: all, worker: { select: ['project_id', 'person_id', 'role'], delete: true } },
    invitation: { api: all, worker: { select: ['project_id', 'expires_at'], delete: true } },
    invitation_email: {
      api: { select: true, insert: true, delete: true },
      worker: { select: ['project_id', 'at'], delete: true },
    },
    // `worker` deletes the expired keys of federated identities.
    api_key: { api: all, worker: { select: ['project_id', 'created_by', 'expires_at'], delete: true } },
    federated_identity: { api: all, worker: expire('project_id') },
    exchanged_id_token: { api: append, worker: { select: ['project_id', 'expires_at'], delete: true } },

    project: { api: write, worker: { select: true, update: ['created_at'], delete: true } }, // updates: `worker` only locks rows
    project_deletion: { api: write, worker: all },
    deleted_project_spend: { api: read, worker: write },
    project_budget: { api: write, worker: read },
    // `api` replaces credentials, but gets none back, not even sealed.
    credential: {
      api: { select: ['project_id', 'id', 'kind', 'created_at', 'base_url'], insert: true, delete: true },
      worker: { select: true, update: ['sealed', 'base_url'] },
    },
    repository: { api: write, worker: { select: true, update: true } },
    webhook_delivery: { api: append, worker: { select: ['sender', 'received_at'], delete: true } },
    github_app: { api: write, worker: { select: true, update: ['sealed_client_secret', 'sealed_private_key'] } },
    github_authorization: { api: all, worker: { select: true, update: true, delete: true } },
    model: { api: all, worker: { select: true, update: ['sealed_key', 'project_ids'] } },

    job: { api: write, worker: { select: true, update: true, delete: true } },
    job_search: { api: write, worker: { select: true, update: true } },
    turn: { api: write, worker: write },
    pull_request_comment: { api: read, worker: append },
    idempotency_key: { api: write, worker: { select: true, delete: true } },
    runner: {
      api: write,
      worker: {
        select: true,
        update: ['last_seen_at', 'offline_reported_at', 'project_ids', 'revoked_at'],
        delete: true,
      },
    },
    // Not the tokens of attempts, with which a runner reads repositories and calls models.
    turn_attempt: {
      api: { select: ['project_id', 'turn_id', 'runner_id', 'queued_at', 'claimed_at', 'ended_at'] },
      worker: write,
    },
    job_event: { api: read, worker: { select: true, insert: true, delete: true } },
    // `api` cannot change a result, so what a person has approved is what is published.
    turn_result: { api: read, worker: all },
    turn_result_chunk: { api: nothing, worker: { select: true, insert: true, delete: true } },
    held_result: { api: { select: true, update: ['decision', 'decided_at'] }, worker: append },

    // `api` can change budgets, but not what was spent.
    model_call: { api: read, worker: write },
    job_usage: { api: read, worker: read },
    model_month: { api: read, worker: write },
    model_day: { api: read, worker: all },
    model_period: { api: read, worker: all },
    turn_over_budget: { api: read, worker: append },
    instance_budget: { api: read, worker: read },
    budget_notice: { api: append, worker: expire('scope') },
    budget_notice_email: { api: all, worker: { select: ['scope'] } },

    // Changes of jobs and budgets add events, as the role that changes them.
    webhook_endpoint: { api: all, worker: { select: true, update: true } },
    webhook_event: { api: append, worker: { select: true, insert: true, delete: true } },
    endpoint_delivery: { api: write, worker: all },
    endpoint_attempt: { api: read, worker: all },

    analytics_settings: { api: write, worker: { select: true, update: ['expired_before'] } },
    site_key: { api: all, worker: expire('project_id') },
    log_drain: { api: all, worker: expire('project_id') },
    log_drain_day: { api: write, worker: { select: ['project_id', 'day'], delete: true } },
    source_coverage: { api: write, worker: { select: true, update: ['last_day'], delete: true } }, // `worker` only locks rows
    source_last_event: { api: write, worker: { select: ['project_id'] } },
    source_event_count: { api: write, worker: { select: true, delete: true } },
    dropped_event: { api: { select: true, insert: true, delete: true }, worker: { select: ['project_id'] } },
    script_page: { api: append, worker: { select: true, delete: true } },
    import_run: { api: write, worker: { select: ['project_id'] } },
    view_batch: { api: append, worker: { select: true, update: ['body', 'rows', 'size_bytes'], delete: true } },
    view_block: { api: { select: ['batch_ids', 'quarantined_at'] }, worker: all },
    view_delivery: { api: append, worker: { select: true, delete: true } },
    beacon_delivery: { api: append, worker: nothing },
    batch_delivery: { api: append, worker: nothing },
    log_line_delivery: { api: append, worker: nothing },
  },
  functions: {
    'delete_person(text)': ['api'],
    'anonymize_failed_sign_ins(int, int)': ['worker'],
    'add_delivery_partition(text, timestamptz, timestamptz)': ['api', 'worker'],
    'drop_delivery_partition(text)': ['worker'],
  },
}
