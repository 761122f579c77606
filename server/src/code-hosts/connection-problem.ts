import type { ConnectionProblemCode, ConnectionTest } from './code-host.ts'
import type { CodeHostError } from './code-host-error.ts'

type Problem = Extract<ConnectionTest, { ok: false }>

export const problem = (code: ConnectionProblemCode, message: string): Problem => ({
  ok: false,
  code,
  message,
})

/** What a failed call means to somebody who is about to connect a repository. */
export function problemOf(error: CodeHostError): Problem {
  switch (error.failure.code) {
    case 'address_refused':
      return problem('address_refused', error.message)
    case 'token_rejected':
      return problem('token_rejected', 'The host does not know this token. Was it copied whole, and not revoked?')
    case 'forbidden':
      return problem(
        'token_cannot_read',
        'The token may not read the repository. Make one that may write to repositories.',
      )
    case 'not_found':
      return problem(
        'repository_not_found',
        "There is no such repository, or the token's user cannot see it. Check the address, the owner and the name.",
      )
    case 'moved':
      return problem('repository_moved', error.message)
    case 'unexpected_response':
    case 'too_large':
      return problem('not_this_host', `${error.message} Give the address of the page that people see, without a path.`)
    default:
      return problem('unreachable', error.message)
  }
}
