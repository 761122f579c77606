/** Results with active content, for the example sites of the content gate. */
import { exampleSites } from '../../content-gate/testing/example-sites.ts'
import { hostileContents } from '../../content-gate/testing/hostile-contents.ts'
import { createHostileChangeResult, type HostileResult, harmlessChange } from './hostile-result.ts'

/** Requires a base with `exampleSites`. */
export const hostileContentResults: readonly HostileResult[] = hostileContents.map(
  ({ name, code, path, hostile, harmless }) =>
    createHostileChangeResult(
      code,
      name,
      { [path]: hostile },
      harmless === exampleSites[path] ? harmlessChange : { [path]: harmless },
    ),
)
