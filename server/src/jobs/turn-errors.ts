/** Why a turn failed, and what to do next. Only the codes pass through Temporal. */
export const turnErrorCodes = [
  'deadline_exceeded',
  'agent_failed',
  'no_runner_available',
  'runner_lost',
  'publish_timeout',
  'branch_moved',
  'result_refused',
  'code_host_access_denied',
  'budget_exhausted',
  'model_unavailable',
  'project_not_ready',
  'internal_error',
] as const

export type TurnErrorCode = (typeof turnErrorCodes)[number]

/** A cancelled turn passes through Temporal as a failure, but ends without an error. */
export type TurnFailureCode = TurnErrorCode | 'cancelled'

export const cancelledTurnMessage = 'The turn was cancelled.'

/** For the agent of the next turn. */
export const rejectedResultMessage = 'A person read the result and rejected it.'

export const turnErrorTexts: Readonly<Record<TurnErrorCode, { meaning: string; action: string }>> = {
  deadline_exceeded: {
    meaning: "The agent did not finish before the turn's deadline, and its changes were discarded.",
    action: 'Send a message to try again, and ask for less, for example one page instead of all pages.',
  },
  agent_failed: {
    meaning: 'The agent failed repeatedly.',
    action: "Send a message to try again. If it keeps failing, ask an operator to check the runner's log.",
  },
  no_runner_available: {
    meaning: 'No runner claimed the turn before the queue timeout.',
    action: 'Ask an owner of the project or an operator to start a runner for the project. Then send a message.',
  },
  runner_lost: {
    meaning: 'Three runners stopped responding while they worked on the turn.',
    action:
      "Send a message that asks for less. If it happens again, ask an operator to check the runners' log and memory.",
  },
  publish_timeout: {
    meaning: 'The result was not published before the publish timeout, because the code host was unavailable.',
    action: 'Send a message to try again when the code host is available.',
  },
  branch_moved: {
    meaning: 'The branch was changed in a way that conflicts with the result.',
    action: 'Send a message: the agent then works on the current branch.',
  },
  result_refused: {
    meaning: 'The result was refused, because it changes or contains something that is not allowed.',
    action:
      'Send a message that asks the agent to do it in another way, or make this part of the change yourself. An owner of the project ' +
      'can allow further paths, or hold active content for approval, in the publishing rules.',
  },
  code_host_access_denied: {
    meaning: 'The code host denied access to the repository.',
    action: 'Ask an owner of the project to connect the repository again with push access. Then send a message.',
  },
  budget_exhausted: {
    meaning: 'A budget of the job, the project or the instance is used up.',
    action:
      'Ask an owner of the project or an operator to raise the budget, or wait for the next hour or month. Then send a message.',
  },
  model_unavailable: {
    meaning: "The job's model is no longer available to the project.",
    action: 'Ask an operator to add it again, then send a message. Or create a job with another model.',
  },
  project_not_ready: {
    meaning: 'The project has no connected repository.',
    action: 'Ask an owner of the project to connect a repository. Then send a message.',
  },
  internal_error: {
    meaning: 'An internal error occurred in Colophon.',
    action: "Send a message to try again. If the error persists, ask an operator to check the worker's log.",
  },
}

export function createTurnFailure(code: string): { code: TurnFailureCode; message: string } {
  if (code === 'cancelled') return { code, message: cancelledTurnMessage }
  const knownCode = turnErrorCodes.find((candidate) => candidate === code) ?? 'internal_error'
  const { meaning, action } = turnErrorTexts[knownCode]
  return { code: knownCode, message: `${meaning} ${action}` }
}
