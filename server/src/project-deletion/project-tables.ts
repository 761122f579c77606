/**
 * Every table of PostgreSQL that names projects. A test compares the lists with the database, so that a new table cannot be forgotten.
 * Rows that belong to a turn (`held_result`, `turn_result_chunk`, `turn_over_budget`) name no project and are deleted with it.
 */

/** Tables that name nothing of a deleted project, by the column that names projects. Checked at the end of each deletion. */
export const deletedTables = {
  project: 'id',
  analytics_settings: 'project_id',
  api_key: 'project_id',
  budget_notice: 'scope',
  budget_notice_email: 'scope',
  credential: 'project_id',
  dropped_event: 'project_id',
  endpoint_attempt: 'project_id',
  endpoint_delivery: 'project_id',
  exchanged_id_token: 'project_id',
  federated_identity: 'project_id',
  github_authorization: 'project_id',
  idempotency_key: 'project_id',
  import_run: 'project_id',
  invitation: 'project_id',
  invitation_email: 'project_id',
  job: 'project_id',
  job_event: 'project_id',
  job_search: 'project_id',
  log_drain: 'project_id',
  log_drain_day: 'project_id',
  model: 'project_ids',
  model_call: 'project_id',
  model_day: 'project_id',
  model_month: 'project_id',
  model_period: 'scope',
  project_budget: 'project_id',
  project_member: 'project_id',
  pull_request_comment: 'project_id',
  repository: 'project_id',
  runner: 'project_ids',
  script_page: 'project_id',
  site_key: 'project_id',
  source_coverage: 'project_id',
  source_event_count: 'project_id',
  source_last_event: 'project_id',
  turn: 'project_id',
  webhook_delivery: 'sender',
  webhook_endpoint: 'project_id',
  webhook_event: 'project_id',
} as const satisfies Readonly<Record<string, 'id' | 'project_id' | 'project_ids' | 'scope' | 'sender'>>

/** A foreign key ties each row to a turn. Not searched at the end: they have no index on the project. */
export const deletedWithTurns = ['turn_attempt', 'turn_result'] as const

/**
 * The audit log is evidence of who did what, which nobody must be able to destroy by deleting the project. Its entries are deleted 90
 * days after the project, with the record of the deletion.
 */
export const keptTables = ['audit_entry', 'audit_export', 'project_deletion'] as const
