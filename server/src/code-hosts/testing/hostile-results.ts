/** Results that a hostile runner could send, each with the only reason to refuse it and a harmless counterpart. */

import { hostileBundles } from './hostile-bundles.ts'
import { hostileChanges } from './hostile-changes.ts'
import { hostileContentResults } from './hostile-contents.ts'
import type { HostileResult } from './hostile-result.ts'
import { oversizedResults } from './oversized-results.ts'

export const hostileResults: readonly HostileResult[] = [
  ...hostileChanges,
  ...hostileContentResults,
  ...oversizedResults,
  ...hostileBundles,
]
