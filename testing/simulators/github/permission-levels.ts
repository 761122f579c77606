import type { PermissionLevel } from './state.ts'

const levels: readonly PermissionLevel[] = ['read', 'write', 'admin']

const rank = (level: PermissionLevel | undefined) => (level === undefined ? -1 : levels.indexOf(level))

export const isLevelAtLeast = (actual: PermissionLevel | undefined, required: PermissionLevel): boolean =>
  rank(actual) >= rank(required)

export const pickLowerLevel = (first: PermissionLevel, second: PermissionLevel): PermissionLevel =>
  rank(first) < rank(second) ? first : second
