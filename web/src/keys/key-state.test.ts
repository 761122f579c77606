import type { ApiKey } from '@colophon/sdk'
import { expect, test } from 'vitest'
import { keysThatGoWith, stateOf } from './key-state.ts'

const now = new Date('2026-06-15T12:00:00Z')
const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: id,
  hint: 'colophon_Ab3f…',
  scopes: ['agent:read'],
  allowedNetworks: [],
  createdByKeyId: null,
  createdAt: '2026-06-01T00:00:00Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
  ...more,
})

test.each([
  ['good', {}],
  ['good', { expiresAt: '2026-06-23T00:00:00Z' }],
  ['ends-soon', { expiresAt: '2026-06-22T00:00:00Z' }],
  ['ended', { expiresAt: '2026-06-15T12:00:00Z' }],
  ['revoked', { expiresAt: '2026-06-22T00:00:00Z', revokedAt: '2026-06-02T00:00:00Z' }],
])('a key is %s with %o', (state, more) => {
  expect(stateOf(key('one', more), now)).toBe(state)
})

test('with a key go those that it made and those that they made, as far as they still work', () => {
  const all = [
    key('parent'),
    key('child', { createdByKeyId: 'parent' }),
    key('revoked child', { createdByKeyId: 'parent', revokedAt: '2026-06-02T00:00:00Z' }),
    key('grandchild', { createdByKeyId: 'child' }),
    key('stranger'),
  ]
  const gone = keysThatGoWith(key('parent'), all, now)
  expect(gone.map(({ id }) => id)).toEqual(['child', 'grandchild'])
})
