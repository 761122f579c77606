import type { Selectable } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { PendingApproval } from './approval.ts'
import type { CheckLogs, CiCheck } from './ci-check.ts'
import type { JobOutcome, PullRequestState } from './job-outcome.ts'
import type { JobStatus, PendingStop } from './job-state.ts'
import type { JobTable } from './tables.ts'

export interface PullRequest {
  url: string
  number: number
  branch: string
  state: PullRequestState
}

/** A pull request with its state as of the last poll. */
export interface PolledPullRequest extends PullRequest {
  /** Whether it conflicts with its base branch. Null: not known yet. */
  hasConflicts: boolean | null
  previewUrl: string | null
  /** CI checks of its head commit. Only failed checks have a log, and lists of jobs omit the logs. */
  checks: readonly (Omit<CiCheck, 'id'> & { log: string | null })[]
}

export interface Job {
  projectId: Id<'prj'>
  id: Id<'job'>
  status: JobStatus
  pendingStop: PendingStop | null
  /** The beginning of the first prompt. */
  promptPreview: string
  title: string | null
  source: { repository: string; ref: string }
  model: string
  publish: 'pull_request' | 'diff'
  topic: string | null
  metadata: Record<string, string>
  outcome: JobOutcome | null
  error: { code: string; message: string } | null
  reply: string | null
  pullRequest: PolledPullRequest | null
  queuedMessages: number
  /** Of the model calls that have ended. The cost is null if the price of one of them is not known. */
  usage: { inputTokens: number; outputTokens: number; costUsd: number | null }
  checks: unknown[]
  /** Hosts in links and images that no page of the repository named before. */
  newHosts: readonly string[]
  /** Null unless a result awaits approval. */
  approval: PendingApproval | null
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** The columns of every job that clients read. The diff can be megabytes and has its own query. */
export const jobColumns = [
  'project_id',
  'id',
  'status',
  'pending_stop',
  'title',
  'repository',
  'ref',
  'model',
  'publish',
  'topic',
  'metadata',
  'outcome',
  'error_code',
  'error_message',
  'reply',
  'checks',
  'new_hosts',
  'created_at',
  'updated_at',
  'archived_at',
  'pull_request_number',
  'pull_request_url',
  'pull_request_branch',
  'pull_request_state',
  'pull_request_conflicts',
  'pull_request_checks',
  'pull_request_preview_url',
] as const

/** Enough to recognize a job in a list. Its messages have the complete prompt. */
export const maxPromptPreviewCharacters = 200

export type JobRow = Pick<Selectable<JobTable>, (typeof jobColumns)[number]> & {
  prompt: string
  queued_messages: string | number
  /** Null: no model call has been counted yet. */
  usage: Job['usage'] | null
  /** Null: no result awaits approval. */
  approval: (Omit<PendingApproval, 'requestedAt'> & { requestedAt: string }) | null
  /** Omitted in lists. */
  pull_request_check_logs?: CheckLogs | null
}

export function toJob(row: JobRow): Job {
  return {
    projectId: row.project_id,
    id: row.id,
    status: row.status,
    pendingStop: row.pending_stop,
    promptPreview: row.prompt,
    title: row.title,
    source: { repository: row.repository, ref: row.ref },
    model: row.model,
    publish: row.publish,
    topic: row.topic,
    metadata: row.metadata,
    outcome: row.outcome,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    reply: row.reply,
    pullRequest: toPullRequest(row),
    queuedMessages: Number(row.queued_messages),
    usage: row.usage ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    checks: row.checks,
    newHosts: row.new_hosts,
    approval: row.approval && { ...row.approval, requestedAt: new Date(row.approval.requestedAt) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  }
}

function toPullRequest(row: JobRow): PolledPullRequest | null {
  const {
    pull_request_number: number,
    pull_request_url: url,
    pull_request_branch: branch,
    pull_request_state: state,
    pull_request_checks: observed,
    pull_request_check_logs: logs,
  } = row
  if (!number || !url || !branch || !state) return null
  return {
    url,
    number: Number(number),
    branch,
    state,
    hasConflicts: row.pull_request_conflicts,
    previewUrl: row.pull_request_preview_url,
    checks: observed?.checks.map(({ id, ...check }) => ({ ...check, log: logs?.[id] ?? null })) ?? [],
  }
}
