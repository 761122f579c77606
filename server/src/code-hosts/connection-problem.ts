import type { ConnectionProblemCode, ConnectionTestResult } from './code-host.ts'
import type { CodeHostError } from './code-host-error.ts'

type Problem = Extract<ConnectionTestResult, { ok: false }>

export const connectionProblem = (code: ConnectionProblemCode, message: string): Problem => ({
  ok: false,
  code,
  message,
})

/** What a failed call means to a person who is connecting a repository. */
export function toConnectionProblem(error: CodeHostError): Problem {
  switch (error.failure.code) {
    case 'address_not_allowed':
      return connectionProblem('address_not_allowed', error.message)
    case 'token_rejected':
      return connectionProblem(
        'token_rejected',
        'The code host does not accept this token. Check that you copied all of it and that it is not expired or revoked, or create a new one.',
      )
    case 'forbidden':
      return connectionProblem(
        'token_cannot_read',
        'The token cannot read the repository. Create a token with read and write access to repositories.',
      )
    case 'not_found':
      return connectionProblem(
        'repository_not_found',
        "The repository does not exist, or the token's user has no access to it. Check the URL, the owner and the name, and give the user access.",
      )
    case 'moved':
      return connectionProblem('repository_moved', error.message)
    case 'unexpected_response':
    case 'too_large':
      return connectionProblem(
        'unrecognized_host',
        `${error.message} Enter the URL that you open in the browser, without the path of the repository.`,
      )
    case 'unreachable':
      return connectionProblem(
        'unreachable',
        `${error.message} Check the URL, and that the Colophon server can connect to the code host.`,
      )
    case 'server_error':
    case 'rate_limited':
      return connectionProblem('unreachable', `${error.message} Wait a few minutes and try again.`)
    default:
      return connectionProblem('unreachable', error.message)
  }
}
