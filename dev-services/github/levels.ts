import type { Level } from './state.ts'

const levels: readonly Level[] = ['read', 'write', 'admin']

const rank = (level: Level | undefined) => (level === undefined ? -1 : levels.indexOf(level))

export const atLeast = (held: Level | undefined, wanted: Level): boolean => rank(held) >= rank(wanted)

export const lower = (one: Level, other: Level): Level => (rank(one) < rank(other) ? one : other)
