import type { AgentJob } from '@colophon/sdk'

/** What the agent does with a message that is sent now. */
export function describeNextTurn({ status, outcome }: Pick<AgentJob, 'status' | 'outcome'>): string {
  if (status === 'active') return 'The agent reads it after the current turn.'
  if (outcome === 'awaiting_approval')
    return 'The agent continues from the result that awaits approval. Its new result replaces that one.'
  return `${describeStart(outcome)} While the pull request is open, changes are added to it.`
}

function describeStart(outcome: AgentJob['outcome']): string {
  switch (outcome) {
    case 'cancelled':
      return 'The agent starts again without the changes of the cancelled turn.'
    case 'error':
      return 'The agent starts again without the changes of the failed turn.'
    case 'rejected':
      return 'The agent starts again without the rejected changes.'
    default:
      return 'The agent continues the conversation.'
  }
}
