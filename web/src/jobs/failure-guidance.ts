/** Explains why a turn or a request failed and what to do next, with links to the pages where it can be done. */
import type { LinkProps } from '@tanstack/react-router'

export interface HelpLink {
  to: Extract<LinkProps['to'], `/projects/$projectId/settings/${string}`>
  /** A card on that page. */
  hash?: string
  label: string
}

export interface FailureGuidance {
  title: string
  advice: string
  links?: readonly HelpLink[]
  /** The server's message lists what was refused. */
  listsRefusals?: true
  /** Each of them helps. Shown as a list. */
  options?: readonly string[]
}

const repository: HelpLink = { to: '/projects/$projectId/settings/repository', label: 'Repository settings' }
const publishingRules: HelpLink = {
  to: '/projects/$projectId/settings/repository',
  hash: 'publishing-rules',
  label: 'Publishing rules',
}
const models: HelpLink = { to: '/projects/$projectId/settings/models', label: 'Models and budget' }
const runners: HelpLink = { to: '/projects/$projectId/settings/runners', label: 'Runners' }
const health: HelpLink = { to: '/projects/$projectId/settings/health', label: 'Health' }

/** By the `error.code` of a turn. */
const turnFailures: Readonly<Record<string, FailureGuidance>> = {
  deadline_exceeded: {
    title: 'The agent ran out of time',
    advice:
      'The changes of this turn were discarded. Send a message to try again, and ask for less, for example one page instead of all pages.',
  },
  agent_failed: {
    title: 'The agent failed repeatedly',
    advice:
      'Send a message to try again. If it keeps failing, check the health page or contact an operator of this instance.',
    links: [health],
  },
  no_runner_available: {
    title: 'No runner was available',
    advice: 'Start a runner, then send a message to try again.',
    links: [runners],
  },
  runner_lost: {
    title: 'Three runners were lost with this turn',
    advice:
      'Each of them stopped responding while it worked on the turn. Send a message that asks for less, or contact an operator of this instance.',
    links: [runners],
  },
  publish_timeout: {
    title: 'The code host could not be reached',
    advice: 'Check that it is running and that the repository still exists. Then send a message to try again.',
    links: [repository],
  },
  branch_moved: {
    title: 'The branch has changed',
    advice:
      'Someone else changed the branch in a way that conflicts with the result. Send a message: the agent then works on the current branch.',
  },
  result_refused: {
    title: 'The changes were not allowed',
    advice:
      'Nothing was pushed, because the result changes or contains something that the publishing rules do not allow:',
    listsRefusals: true,
    options: [
      'Send a message that asks the agent to do it in another way.',
      'Make this part of the change yourself.',
      'An owner of the project can allow further folders and paths, or hold active content for approval, under Settings → Repository → Publishing rules. Then send a message to try again.',
    ],
    links: [publishingRules],
  },
  code_host_access_denied: {
    title: 'The code host denied access',
    advice: 'Connect the repository again with an account or token that can push. Then send a message to try again.',
    links: [repository],
  },
  budget_exhausted: {
    title: 'The budget is used up',
    advice:
      'Raise the budget, or wait for the next hour or month if an hourly or monthly budget is used up. Then send a message to try again.',
    links: [models],
  },
  model_unavailable: {
    title: 'The model is no longer available',
    advice: 'Add the model to the project again, then send a message. Or create a job with another model.',
    links: [models],
  },
  project_not_ready: {
    title: 'No repository is connected',
    advice: 'Connect a repository, then send a message to try again.',
    links: [repository],
  },
  internal_error: {
    title: 'An internal error occurred in Colophon',
    advice:
      'Send a message to try again. If it keeps failing, check the health page or contact an operator of this instance.',
    links: [health],
  },
}

/** Undefined for the codes of a newer server. The page then shows only the server's message. */
export const describeTurnFailure = (code: string): FailureGuidance | undefined =>
  Object.hasOwn(turnFailures, code) ? turnFailures[code] : undefined

/** By the code of a failed request, if a page of the dashboard can help. The server's message says what is wrong. */
const requestHelpLinks: Readonly<Record<string, readonly HelpLink[]>> = {
  project_not_ready: [repository, models],
  budget_exhausted: [models],
  unavailable: [health],
  internal_error: [health],
}

export const findHelpLinks = (code: string): readonly HelpLink[] =>
  Object.hasOwn(requestHelpLinks, code) ? (requestHelpLinks[code] ?? []) : []
