import type { AgentJob, JobMessage } from '@colophon/sdk'

/** The title of a job, or the beginning of its prompt. */
export function jobTitle({ title, promptPreview }: Pick<AgentJob, 'title' | 'promptPreview'>): string {
  if (title) return title
  const [line = ''] = promptPreview.trim().split('\n')
  const short = line.length > 90 ? `${line.slice(0, 90).replace(/\s+\S*$/, '')} …` : line
  return short || 'Untitled job'
}

/**
 * The job and its messages are two requests, and the job may be the first to report the end. Messages are therefore refetched
 * until they have ended themselves. Otherwise the page would keep showing work that has finished.
 */
export const isTurnInProgress = ({ status }: Pick<JobMessage, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'publishing'

export interface JobStatusLabel {
  label: string
  color: 'blue' | 'green' | 'red' | 'gray' | 'yellow'
}

export function describeJobStatus({
  status,
  outcome,
  pendingStop,
}: Pick<AgentJob, 'status' | 'outcome' | 'pendingStop'>): JobStatusLabel {
  if (pendingStop !== null) return { label: 'Stopping', color: 'yellow' }
  if (status === 'active') return { label: 'Active', color: 'blue' }
  if (status === 'archived') return { label: 'Archived', color: 'gray' }
  if (outcome === 'awaiting_approval') return { label: 'Awaiting approval', color: 'yellow' }
  if (outcome === 'rejected') return { label: 'Rejected', color: 'gray' }
  if (outcome === 'cancelled') return { label: 'Cancelled', color: 'gray' }
  return status === 'failed' ? { label: 'Failed', color: 'red' } : { label: 'Completed', color: 'green' }
}

export const outcomeLabels: Readonly<Record<NonNullable<AgentJob['outcome']>, string>> = {
  pull_request: 'Pull request',
  diff: 'Diff only',
  no_changes: 'No changes',
  awaiting_approval: 'Awaiting approval',
  rejected: 'Rejected',
  cancelled: 'Cancelled',
  error: 'Error',
}

/** For a job without a pull request. Null if the status of the job says it already. */
export function describeResult({ outcome }: Pick<AgentJob, 'outcome'>): string | null {
  return outcome === 'diff' || outcome === 'no_changes' ? outcomeLabels[outcome] : null
}

/** In US dollars. Amounts below a cent keep two significant digits, because many jobs cost less than that. */
export function formatCost(costUsd: number | null): string {
  if (costUsd === null) return 'Unknown'
  if (costUsd === 0) return '$0'
  return costUsd < 0.01 ? `$${costUsd.toPrecision(2)}` : `$${costUsd.toFixed(2)}`
}

const compactNumber = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
export const formatTokenCount = (count: number): string => compactNumber.format(count)
