/** Why a turn failed, in words that say what to do next. Only the codes cross Temporal. */
const words = {
  cancelled: 'The turn was cancelled.',
  deadline_exceeded: 'The agent did not finish in time. Ask for less at once, or send a message to go on.',
  agent_failed: 'The agent broke down several times. Send a message to try again; if it stays, tell the operator.',
  no_runner_available: 'No runner took the turn for hours. Ask the operator to start one, then send a message.',
  publish_timeout: 'The code host could not be reached for too long. Send a message to try again.',
  branch_moved: 'The branch was changed meanwhile in a way that cannot be merged. Send a message to work on it anew.',
  result_refused: "The agent's changes were refused. Send a message that asks for changes to docs pages only.",
  code_host_access_denied: 'The code host refused our access. Connect the repository again with a token that may push.',
  budget_exhausted:
    "The job, or the project's month, has no budget left. Ask the operator for more, then send a message.",
  model_unavailable:
    "The job's model is not there for the project any more. Ask the operator for it and send a message, or create a job with another one.",
  project_not_ready: 'The project has no repository any more: connect one, then send a message.',
  internal_error: 'Something went wrong on our side. Send a message to try again; if it stays, tell the operator.',
} as const

export type TurnErrorCode = keyof typeof words

export function turnError(code: string, detail?: string): { code: TurnErrorCode; message: string } {
  const known = Object.hasOwn(words, code) ? (code as TurnErrorCode) : 'internal_error'
  return { code: known, message: detail ? `${words[known]} (${detail})` : words[known] }
}
