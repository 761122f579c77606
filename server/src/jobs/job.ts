import type { Selectable } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { CheckLogs, HostCheck } from './host-check.ts'
import type { JobStatus, PendingStop } from './job-state.ts'
import type { JobOutcome, PullRequestState } from './outcome.ts'
import type { JobTable } from './tables.ts'

export interface PullRequest {
  url: string
  number: number
  branch: string
  state: PullRequestState
}

/** As the code host last told of it. */
export interface FollowedPullRequest extends PullRequest {
  /** With its base. Null: not known. */
  hasConflicts: boolean | null
  previewUrl: string | null
  /** Of the commit at its head. Logs of failed ones only, and not in lists. */
  checks: readonly (Omit<HostCheck, 'id'> & { log: string | null })[]
}

export interface Job {
  projectId: Id<'prj'>
  id: Id<'job'>
  status: JobStatus
  pendingStop: PendingStop | null
  /** How its first prompt begins. */
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
  pullRequest: FollowedPullRequest | null
  queuedMessages: number
  /** Of its calls of models, as far as they have ended. The cost is null where a price is not known. */
  usage: { inputTokens: number; outputTokens: number; costUsd: number | null }
  checks: unknown[]
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** Everything that clients see at every look; the diff can have megabytes and is asked for by itself. */
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

/** Enough to know a job by in a list; the whole is in its messages. */
export const shownPromptCharacters = 200

export type JobRow = Pick<Selectable<JobTable>, (typeof jobColumns)[number]> & {
  prompt: string
  queued_messages: string | number
  /** Null: no call was counted yet. */
  usage: Job['usage'] | null
  /** Not in lists. */
  pull_request_check_logs?: CheckLogs | null
}

export function asJob(row: JobRow): Job {
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
    pullRequest: pullRequestOf(row),
    queuedMessages: Number(row.queued_messages),
    usage: row.usage ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    checks: row.checks,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  }
}

function pullRequestOf(row: JobRow): FollowedPullRequest | null {
  const {
    pull_request_number: number,
    pull_request_url: url,
    pull_request_branch: branch,
    pull_request_state: state,
    pull_request_checks: seen,
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
    checks: seen?.checks.map(({ id, ...check }) => ({ ...check, log: logs?.[id] ?? null })) ?? [],
  }
}
