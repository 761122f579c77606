import type { Visitor } from '../../github/authorization-store.ts'
import { Problem } from '../../platform/http/problem.ts'
import type { Id } from '../../platform/ids.ts'
import type { Caller } from '../caller.ts'

/** A key has no account on GitHub. */
export function visitorOf(caller: Caller, projectId: Id<'prj'>): Visitor {
  if (caller.kind !== 'person')
    throw new Problem(
      'insufficient_scope',
      'GitHub asks who you are: do this signed in to the dashboard, without a key.',
    )
  return { personId: caller.id, projectId }
}

/** Nobody is told whether a state was ever one. */
export const visitIsOver = () =>
  new Problem(
    'invalid_request',
    'This way back from GitHub was used, is older than 15 minutes, or is not yours: start again.',
  )
