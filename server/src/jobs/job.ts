import type { Selectable } from 'kysely'
import type { Id } from '../platform/ids.ts'
import type { JobStatus } from './job-state.ts'
import type { JobOutcome, PullRequestState } from './outcome.ts'
import type { JobTable } from './tables.ts'

export interface PullRequest {
  url: string
  number: number
  branch: string
  state: PullRequestState
}

export interface Job {
  projectId: Id<'prj'>
  id: Id<'job'>
  status: JobStatus
  title: string | null
  source: { repository: string; ref: string }
  model: string
  publish: 'pull_request' | 'diff'
  topic: string | null
  metadata: Record<string, string>
  outcome: JobOutcome | null
  error: { code: string; message: string } | null
  reply: string | null
  pullRequest: PullRequest | null
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
  ...(['project_id', 'id', 'status', 'title', 'repository', 'ref', 'model', 'publish', 'topic', 'metadata'] as const),
  ...([
    'outcome',
    'error_code',
    'error_message',
    'reply',
    'checks',
    'created_at',
    'updated_at',
    'archived_at',
  ] as const),
  ...(['pull_request_number', 'pull_request_url', 'pull_request_branch', 'pull_request_state'] as const),
] as const

export type JobRow = Pick<Selectable<JobTable>, (typeof jobColumns)[number]> & {
  queued_messages: string | number
  /** Null: no call was counted yet. */
  usage: Job['usage'] | null
}

export function asJob(row: JobRow): Job {
  const {
    pull_request_number: number,
    pull_request_url: url,
    pull_request_branch: branch,
    pull_request_state: state,
  } = row
  return {
    projectId: row.project_id,
    id: row.id,
    status: row.status,
    title: row.title,
    source: { repository: row.repository, ref: row.ref },
    model: row.model,
    publish: row.publish,
    topic: row.topic,
    metadata: row.metadata,
    outcome: row.outcome,
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    reply: row.reply,
    pullRequest: number && url && branch && state ? { url, number: Number(number), branch, state } : null,
    queuedMessages: Number(row.queued_messages),
    usage: row.usage ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    checks: row.checks,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  }
}
