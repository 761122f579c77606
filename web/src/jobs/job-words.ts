import type { AgentJob, JobMessage } from '@colophon/sdk'

/** What a job is known by: its title, or how its prompt begins. */
export function nameOf({ title, promptPreview }: Pick<AgentJob, 'title' | 'promptPreview'>): string {
  if (title) return title
  const [line = ''] = promptPreview.trim().split('\n')
  const short = line.length > 90 ? `${line.slice(0, 90).replace(/\s+\S*$/, '')} …` : line
  return short || 'A job'
}

/**
 * The job and its messages are two answers, and the job may be the first to tell of the end: a message is asked for again until
 * it is over itself, lest the page shows work where there is none.
 */
export const isUnderWay = ({ status }: Pick<JobMessage, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'publishing'

export interface StatusWords {
  label: string
  color: 'blue' | 'green' | 'red' | 'gray' | 'yellow'
}

export function statusWords({
  status,
  outcome,
  pendingStop,
}: Pick<AgentJob, 'status' | 'outcome' | 'pendingStop'>): StatusWords {
  if (pendingStop !== null) return { label: 'Stopping', color: 'yellow' }
  if (status === 'active') return { label: 'Working', color: 'blue' }
  if (status === 'archived') return { label: 'Archived', color: 'gray' }
  if (outcome === 'cancelled') return { label: 'Cancelled', color: 'gray' }
  return status === 'failed' ? { label: 'Failed', color: 'red' } : { label: 'Done', color: 'green' }
}

export const outcomeWords: Readonly<Record<NonNullable<AgentJob['outcome']>, string>> = {
  pull_request: 'Pull request',
  diff: 'Diff only',
  no_changes: 'No changes',
  cancelled: 'Cancelled',
  error: 'Error',
}

/** In US dollars; a cent is much for one job, so small sums keep two digits that say something. */
export function costInWords(costUsd: number | null): string {
  if (costUsd === null) return 'cost not known'
  if (costUsd === 0) return '$0'
  return costUsd < 0.01 ? `$${costUsd.toPrecision(2)}` : `$${costUsd.toFixed(2)}`
}

const inThousands = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
export const countInWords = (count: number): string => inThousands.format(count)
