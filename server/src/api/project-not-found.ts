import { Problem } from '../platform/http/problem.ts'

/** The same response whether the project does not exist or the caller may not see it, so that callers cannot tell which. */
export const projectNotFoundProblem = () =>
  new Problem('not_found', 'The project does not exist, or you do not have access to it.')
