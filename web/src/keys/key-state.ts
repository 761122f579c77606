import type { ApiKey } from '@colophon/sdk'

export type KeyState = 'active' | 'expiring' | 'expired' | 'revoked'

const soonMs = 7 * 24 * 3600 * 1000

/** A key of a CI run always expires soon, and nobody has to replace it. */
export function keyState({ revokedAt, expiresAt, createdBy }: ApiKey, now: Date): KeyState {
  if (revokedAt !== null) return 'revoked'
  if (expiresAt === null) return 'active'
  const leftMs = new Date(expiresAt).getTime() - now.getTime()
  const isOfRun = createdBy?.startsWith('fid_') ?? false
  return leftMs <= 0 ? 'expired' : leftMs < soonMs && !isOfRun ? 'expiring' : 'active'
}

const isUsable = (key: ApiKey, now: Date): boolean => ['active', 'expiring'].includes(keyState(key, now))

/** The usable keys that are revoked together with a key: those that were created with it, directly or indirectly. */
export function findUsableDescendantKeys(key: ApiKey, all: readonly ApiKey[], now: Date): readonly ApiKey[] {
  const children = all.filter(({ createdByKeyId, takenOverBy }) => createdByKeyId === key.id && takenOverBy === null)
  return children.flatMap((child) => [
    ...(isUsable(child, now) ? [child] : []),
    ...findUsableDescendantKeys(child, all, now),
  ])
}
