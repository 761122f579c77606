/** Results that a hostile runner could send, each with the one reason to refuse it and a harmless twin. */
import { hostileAmounts } from './hostile-amounts.ts'
import { hostileBundles } from './hostile-bundles.ts'
import { hostileChanges } from './hostile-changes.ts'
import type { HostileResult } from './hostile-result.ts'

export const hostileResults: readonly HostileResult[] = [...hostileChanges, ...hostileAmounts, ...hostileBundles]
