/** Why a job failed, or a request was refused, and what helps: in words, and with the page where it can be done. */
import type { LinkProps } from '@tanstack/react-router'

export interface Help {
  to: Extract<LinkProps['to'], `/projects/$projectId/settings/${string}`>
  label: string
}

export interface FailureWords {
  title: string
  next: string
  help?: readonly Help[]
  /** The server's own words name what it was. */
  saysMore?: true
}

const repository: Help = { to: '/projects/$projectId/settings/repository', label: 'Repository settings' }
const models: Help = { to: '/projects/$projectId/settings/models', label: 'Models and budgets' }
const runners: Help = { to: '/projects/$projectId/settings/runners', label: 'Runners' }
const health: Help = { to: '/projects/$projectId/settings/health', label: 'Health' }

/** By the code of a turn's error. */
const turnFailures: Readonly<Record<string, FailureWords>> = {
  deadline_exceeded: {
    title: 'The agent ran out of time',
    next: 'Send a message to go on from here, or ask for less at once: one page rather than all of them.',
  },
  agent_failed: {
    title: 'The agent broke down several times',
    next: 'Send a message to try again. If it happens again, look at the health page or tell whoever runs Colophon.',
    help: [health],
  },
  no_runner_available: {
    title: 'No runner took the work up',
    next: 'Start a runner, then send a message to try again.',
    help: [runners],
  },
  publish_timeout: {
    title: 'The code host could not be reached',
    next: 'Check that it is up and that the repository is still there, then send a message to try again.',
    help: [repository],
  },
  branch_moved: {
    title: 'The branch was changed meanwhile',
    next: 'The two changes do not go together. Send a message: the agent then works on the branch as it is now.',
  },
  result_refused: {
    title: 'The changes were refused',
    next: 'The agent changed files that it may not touch. Ask for changes to docs pages only, or widen the publishing rules.',
    help: [repository],
    saysMore: true,
  },
  code_host_access_denied: {
    title: 'The code host refused our access',
    next: 'Connect the repository again with a token that may push, then send a message to try again.',
    help: [repository],
  },
  budget_exhausted: {
    title: 'The budget is used up',
    next: 'Raise the cap of the job or of the month, then send a message to go on.',
    help: [models],
  },
  model_unavailable: {
    title: 'The model is not there any more',
    next: 'Make the model available to the project again and send a message, or create a job with another model.',
    help: [models],
  },
  project_not_ready: {
    title: 'The project has no repository any more',
    next: 'Connect one, then send a message to go on.',
    help: [repository],
  },
  internal_error: {
    title: 'Something went wrong on our side',
    next: 'Send a message to try again. If it happens again, look at the health page or tell whoever runs Colophon.',
    help: [health],
  },
}

/** Of a code that a later server knows there is only what it says itself. */
export const wordsForTurnFailure = (code: string): FailureWords | undefined =>
  Object.hasOwn(turnFailures, code) ? turnFailures[code] : undefined

/** By the code of a refused request, where a page can help. What is wrong, the server says itself. */
const refusals: Readonly<Record<string, readonly Help[]>> = {
  project_not_ready: [repository, models],
  budget_exhausted: [models],
  unavailable: [health],
  internal_error: [health],
}

export const helpForRefusal = (code: string): readonly Help[] =>
  Object.hasOwn(refusals, code) ? (refusals[code] ?? []) : []
