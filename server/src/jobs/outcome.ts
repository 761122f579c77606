/** How a turn, and with its last turn a job, ended. */
export const jobOutcomes = ['pull_request', 'diff', 'no_changes', 'cancelled', 'error'] as const
export type JobOutcome = (typeof jobOutcomes)[number]

export const pullRequestStates = ['open', 'merged', 'closed'] as const
export type PullRequestState = (typeof pullRequestStates)[number]

/** As we wrote it on the code host. */
export interface PullRequestText {
  title: string
  body: string
}
