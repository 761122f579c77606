import type { AuthorizationOwner } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { Caller } from '../caller.ts'

/** Throws for API keys, because only people have an account on GitHub. */
export function requireAuthorizationOwner(caller: Caller, projectId: Id<'prj'>): AuthorizationOwner {
  if (caller.kind !== 'person')
    throw new Problem(
      'insufficient_scope',
      'API keys cannot do this, because it needs an account on GitHub. Sign in to the dashboard instead.',
    )
  return { personId: caller.id, projectId }
}

/** One message for all cases: the caller must not learn whether a state exists. */
export const invalidAuthorizationProblem = () =>
  new Problem(
    'invalid_request',
    'This GitHub authorization was used already, is older than 15 minutes, or is not yours. Start again.',
  )
