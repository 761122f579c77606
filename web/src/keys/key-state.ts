import type { ApiKey } from '@colophon/sdk'

export type KeyState = 'good' | 'ends-soon' | 'ended' | 'revoked'

const soonMs = 7 * 24 * 3600 * 1000

export function stateOf({ revokedAt, expiresAt }: ApiKey, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'good'
  const leftMs = new Date(expiresAt).getTime() - now.getTime()
  return leftMs <= 0 ? 'ended' : leftMs < soonMs ? 'ends-soon' : 'good'
}

const isUsable = (key: ApiKey, now: Date): boolean => ['good', 'ends-soon'].includes(stateOf(key, now))

/** The keys that go with one when it is revoked: those it made, and those they made. */
export function keysThatGoWith(key: ApiKey, all: readonly ApiKey[], now: Date): readonly ApiKey[] {
  const made = all.filter(({ createdByKeyId }) => createdByKeyId === key.id)
  return made.flatMap((child) => [...(isUsable(child, now) ? [child] : []), ...keysThatGoWith(child, all, now)])
}
