import type { ApiKey } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { findUsableDescendantKeys, keyState } from './key-state.ts'

const now = new Date('2026-06-15T12:00:00Z')
const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: id,
  prefix: 'colophon_Ab3f…',
  scopes: ['agent:read'],
  allowedNetworks: [],
  createdByKeyId: null,
  createdBy: 'ada@example.com',
  takenOverBy: null,
  exceedsScopes: false,
  createdAt: '2026-06-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  ...more,
})

test.each([
  ['active', {}],
  ['active', { expiresAt: '2026-06-23T00:00:00Z' }],
  ['expiring', { expiresAt: '2026-06-22T00:00:00Z' }],
  ['expired', { expiresAt: '2026-06-15T12:00:00Z' }],
  ['revoked', { expiresAt: '2026-06-22T00:00:00Z', revokedAt: '2026-06-02T00:00:00Z' }],
])('a key is %s with %o', (state, more) => {
  expect(keyState(key('one', more), now)).toBe(state)
})

test('finds the usable keys that were created with a key, directly and indirectly', () => {
  const all = [
    key('parent'),
    key('child', { createdByKeyId: 'parent' }),
    key('revoked child', { createdByKeyId: 'parent', revokedAt: '2026-06-02T00:00:00Z' }),
    key('kept child', { createdByKeyId: 'parent', takenOverBy: 'ada@example.com' }),
    key('grandchild', { createdByKeyId: 'child' }),
    key('unrelated'),
  ]
  const descendants = findUsableDescendantKeys(key('parent'), all, now)
  expect(descendants.map(({ id }) => id)).toEqual(['child', 'grandchild'])
})
