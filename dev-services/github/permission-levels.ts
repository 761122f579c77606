import type { Level } from './state.ts'

const levels: readonly Level[] = ['read', 'write', 'admin']

const rank = (level: Level | undefined) => (level === undefined ? -1 : levels.indexOf(level))

export const atLeast = (actual: Level | undefined, required: Level): boolean => rank(actual) >= rank(required)

export const lower = (first: Level, second: Level): Level => (rank(first) < rank(second) ? first : second)
