/**
 * The tables of jobs, and what writes to them.
 *
 * - `job`, `turn`: `WorkAcceptor` inserts, `deleteExpiredJobs` and `ProjectDeletionStore` delete, with everything that references the job. Both tables are
 *   updated by several stores, which have columns of their own:
 *   - state (`status`, `pending_stop`, the times of its changes) and what follows from it, such as the outcome of a turn that was
 *     dropped: only `transitionJob`, called by every store that changes the state
 *   - outcome, error, reply, title, checks and diff, publish lease, branch, commit, `refusal`, `restarted`: `TurnStore`.
 *     `ApprovalStore` sets the outcome of a rejected result, and resets `restarted` of an approved one.
 *   - `deadline_at`, `start_branch`, `agent_failures`: `AttemptStore`. `TurnStore` resets the deadline at a restart, and
 *     `ProjectPauseStore` extends it by the pause.
 *   - `pull_request_…`: `PullRequestStore`. `TurnStore` writes those of a pull request that a turn was published to.
 *   - `updated_at`: every store that changes what a client can see
 *   - `progressed_at`: `transitionJob`, `TurnStore` when it claims a stalled job, `ProjectPauseStore` at a resume
 * - `job_search`: `WorkAcceptor` inserts, `TurnStore` adds the title.
 * - `idempotency_key`: `WorkAcceptor`.
 * - `turn_attempt`: `AttemptStore`. `AgentEventStore` counts events in it, `TurnStore` ends what is left when the turn ends.
 * - `turn_result`, `turn_result_chunk`: `AttemptStore` inserts, `TurnStore` deletes at a restart.
 * - `held_result`: `TurnStore` inserts, `ApprovalStore` writes the decision. Deleted with its `turn_result`.
 * - `job_event`: `AgentEventStore`.
 * - `pull_request_comment`: `WorkAcceptor` those that became messages, `PullRequestStore` those that were rejected.
 * - `runner`: `RunnerStore`.
 * - `project`: `ProjectPauseStore` writes the two columns listed here; the table belongs to `ProjectStore`.
 */
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { ApprovalReason } from './approval.ts'
import type { CheckLogs, FailedCheck, ObservedChecks } from './ci-check.ts'
import type { JobOutcome, PullRequestState, PullRequestText } from './job-outcome.ts'
import type { JobStatus, PendingStop, TurnStatus } from './job-state.ts'

type Metadata = Record<string, string>

export interface JobTable {
  project_id: Id<'prj'>
  id: Id<'job'>
  status: JobStatus
  pending_stop: Generated<PendingStop | null>
  title: string | null
  repository: string
  ref: string
  model: string
  publish: 'pull_request' | 'diff'
  draft: boolean
  topic: string | null
  metadata: JSONColumnType<Metadata>
  outcome: Generated<JobOutcome | null>
  error_code: Generated<string | null>
  error_message: Generated<string | null>
  reply: Generated<string | null>
  checks: ColumnType<unknown[], never, string>
  new_hosts: Generated<string[]>
  pull_request_number: ColumnType<string | null, never, number>
  pull_request_url: Generated<string | null>
  pull_request_branch: Generated<string | null>
  pull_request_state: Generated<PullRequestState | null>
  pull_request_commit: Generated<string | null>
  pull_request_poll_at: Generated<Date | null>
  pull_request_text: ColumnType<PullRequestText | null, never, string | null>
  pull_request_conflicts: Generated<boolean | null>
  pull_request_checks: ColumnType<ObservedChecks | null, never, string | null>
  pull_request_check_logs: ColumnType<CheckLogs | null, never, string | null>
  pull_request_preview_url: Generated<string | null>
  pull_request_comments_since: Generated<Date | null>
  pull_request_poll_bucket_full_at: Generated<Date | null>
  diff: Generated<string | null>
  created_at: Date
  updated_at: Date
  archived_at: Generated<Date | null>
  progressed_at: Date
  stalled_wakes: Generated<number>
}

export interface TurnTable {
  project_id: Id<'prj'>
  job_id: Id<'job'>
  id: Id<'trn'>
  number: number
  prompt: string
  status: TurnStatus
  outcome: Generated<JobOutcome | null>
  error_code: Generated<string | null>
  error_message: Generated<string | null>
  reply: Generated<string | null>
  created_at: Date
  started_at: Generated<Date | null>
  ended_at: Generated<Date | null>
  /** Set at the first claim. Losing the runner does not extend it. */
  deadline_at: Generated<Date | null>
  agent_failures: Generated<number>
  start_branch: Generated<string | null>
  restarted: Generated<boolean>
  publish_lease_holder: Generated<string | null>
  publish_lease_expires_at: Generated<Date | null>
  branch: Generated<string | null>
  commit_id: Generated<string | null>
  refusal: Generated<string | null>
  publishing_started_at: Generated<Date | null>
  failed_check: ColumnType<FailedCheck | null, string | null | undefined, never>
  resolves_conflicts: Generated<boolean>
  failed_commit: Generated<string | null>
  failed_pull_request_number: ColumnType<string | null, number | null | undefined, never>
  queued_by_scheduled_at: Generated<Date | null>
  queued_by_attempt: Generated<number | null>
}

export interface TurnAttemptTable {
  project_id: Id<'prj'>
  turn_id: Id<'trn'>
  number: number
  task_token: Buffer
  token_hash: Buffer | null
  runner_id: Id<'run'> | null
  queued_at: Generated<Date>
  claimed_at: Date | null
  ended_at: Date | null
  event_count: Generated<number>
  event_bytes: ColumnType<string, never, number>
  runner_process: Generated<string | null>
  heard_at: Generated<Date | null>
  lost_at: Generated<Date | null>
  reserved_for: Generated<string | null>
  reserved_at: Generated<Date | null>
  temporal_heartbeat_seconds: Generated<number | null>
  temporal_heard_at: Generated<Date | null>
  traceparent: Generated<string | null>
}

export interface JobEventTable {
  project_id: Id<'prj'>
  job_id: Id<'job'>
  turn_number: number
  attempt: number
  last_index: number
  events: ColumnType<unknown[], string, never>
  size_bytes: number | null
  created_at: Generated<Date>
}

export interface TurnResultTable {
  turn_id: Id<'trn'>
  project_id: Id<'prj'>
  base_commit: string
  merged_commit: string | null
  bundle_bytes: number | null
  session_bytes: number | null
  title: string | null
  summary: string | null
  reply: string | null
  checks: ColumnType<unknown[], string, never>
  created_at: Generated<Date>
}

export interface TurnResultChunkTable {
  turn_id: Id<'trn'>
  part: 'bundle' | 'session'
  number: number
  bytes: Buffer
}

export interface RunnerTable {
  id: Id<'run'>
  name: string
  token_hash: Buffer
  project_ids: Id<'prj'>[] | null
  /** As in the audit log. Null: not recorded. */
  created_by: string | null
  taken_over_by: Generated<string | null>
  created_at: Generated<Date>
  expires_at: Date | null
  previous_token_hash: Generated<Buffer | null>
  previous_token_expires_at: Generated<Date | null>
  previous_token_responsible: Generated<string | null>
  last_seen_at: ColumnType<Date | null, never, Date>
  revoked_at: ColumnType<Date | null, never, Date>
  offline_reported_at: Generated<Date | null>
}

export interface HeldResultTable {
  turn_id: Id<'trn'>
  diff: string
  diff_sha256: string
  is_diff_complete: boolean
  reasons: JSONColumnType<ApprovalReason[], string, never>
  new_hosts: string[]
  held_at: Date
  decision: Generated<'approved' | 'rejected' | null>
  decided_at: Generated<Date | null>
}

export interface JobTables {
  held_result: HeldResultTable
  turn_attempt: TurnAttemptTable
  job_event: JobEventTable
  turn_result: TurnResultTable
  turn_result_chunk: TurnResultChunkTable
  runner: RunnerTable
  job: JobTable
  turn: TurnTable
  pull_request_comment: {
    project_id: Id<'prj'>
    job_id: Id<'job'>
    comment_id: ColumnType<string, number, never>
    /** Null: the comment was rejected. */
    turn_number: number | null
    author: string
    url: string
  }
  job_search: { project_id: Id<'prj'>; job_id: Id<'job'>; search_text: string }
  /** A database view of the usage that the gateway counted. */
  job_usage: {
    project_id: Id<'prj'>
    job_id: Id<'job'>
    input_tokens: string
    output_tokens: string
    cost_usd: string | null
  }
  idempotency_key: {
    project_id: Id<'prj'>
    key: string
    fingerprint: Buffer
    status: number
    body: string
    created_at: Date
  }
}
