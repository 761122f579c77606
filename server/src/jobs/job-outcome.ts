/**
 * How a turn ended. A job has the outcome of its last turn. `awaiting_approval`: nothing was pushed; a person has to approve the
 * result. `rejected`: a person did not.
 */
export const jobOutcomes = [
  'pull_request',
  'diff',
  'no_changes',
  'awaiting_approval',
  'rejected',
  'cancelled',
  'error',
] as const
export type JobOutcome = (typeof jobOutcomes)[number]

export const pullRequestStates = ['open', 'merged', 'closed'] as const
export type PullRequestState = (typeof pullRequestStates)[number]

/** Title and body as Colophon wrote them on the code host. */
export interface PullRequestText {
  title: string
  body: string
}
