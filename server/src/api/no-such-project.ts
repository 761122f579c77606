import { Problem } from '../platform/http/problem.ts'

/** The same for one that does not exist and one that is not yours: no telling apart. */
export const noSuchProject = () => new Problem('not_found', 'There is no such project, or you may not see it.')
