import { expect, test } from 'vitest'
import { assertGrantWithin, describeInvalidNetwork, isAddressAllowed, type KeyGrant } from './key-rules.ts'

const grant = (changes: Partial<KeyGrant> = {}): KeyGrant => ({
  scopes: ['agent:read'],
  allowedNetworks: [],
  expiresAt: null,
  ...changes,
})

test('allows an address in an allowed network, or any address without allowed networks', () => {
  expect(isAddressAllowed('198.51.100.7', [])).toBe(true)
  expect(isAddressAllowed('10.1.2.3', ['10.0.0.0/8'])).toBe(true)
  expect(isAddressAllowed('::ffff:10.1.2.3', ['10.0.0.0/8'])).toBe(true)
  expect(isAddressAllowed('11.1.2.3', ['10.0.0.0/8', '192.0.2.1/32'])).toBe(false)
  expect(isAddressAllowed('2001:db8::1', ['2001:db8::/32'])).toBe(true)
  expect(isAddressAllowed('2001:db9::1', ['2001:db8::/32'])).toBe(false)
  expect(isAddressAllowed('not an address', ['0.0.0.0/0'])).toBe(false)
})

test('allows a key to grant permissions that it has', () => {
  const day = new Date('2030-01-01')
  const creator = grant({ scopes: ['agent:read', 'agent:write'], allowedNetworks: ['10.0.0.0/8'], expiresAt: day })
  expect(() =>
    assertGrantWithin(creator, grant({ allowedNetworks: ['10.2.0.0/16', '10.0.0.0/8'], expiresAt: day })),
  ).not.toThrow()
  expect(() => assertGrantWithin(grant(), grant({ allowedNetworks: ['10.0.0.0/8'], expiresAt: day }))).not.toThrow()
})

test.each<[string, KeyGrant, KeyGrant]>([
  ['another scope', grant(), grant({ scopes: ['agent:read', 'project:write'] })],
  ['no expiry', grant({ expiresAt: new Date('2030-01-01') }), grant()],
  ['a later expiry', grant({ expiresAt: new Date('2030-01-01') }), grant({ expiresAt: new Date('2030-01-02') })],
  ['all networks', grant({ allowedNetworks: ['10.0.0.0/8'] }), grant()],
  ['a wider network', grant({ allowedNetworks: ['10.0.0.0/16'] }), grant({ allowedNetworks: ['10.0.0.0/8'] })],
  [
    'an IPv6 network that contains its IPv4 network',
    grant({ allowedNetworks: ['127.0.0.0/8'] }),
    grant({ allowedNetworks: ['::/8'] }),
  ],
  ['another network', grant({ allowedNetworks: ['10.0.0.0/8'] }), grant({ allowedNetworks: ['192.0.2.0/24'] })],
])('does not allow a key to grant %s', (_name, creator, requested) => {
  expect(() => assertGrantWithin(creator, requested)).toThrow('insufficient_scope')
})

test.each(['10.0.0.0/8', '10.1.2.3', '10.1.2.3/8', '0.0.0.0/0', '2001:db8::/32', '::1'])(
  'accepts %s as a network',
  (text) => {
    expect(describeInvalidNetwork(text)).toBeUndefined()
  },
)

test.each([
  '',
  'example.com',
  '10.0.0/8',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/08',
  '10.0.0.0/8/8',
  'fe80::1%eth0',
  '::/129',
  '::ffff:10.0.0.0/8',
  '::ffff:a00:0/104',
  '64:ff9b::10.0.0.1',
])('rejects %s as a network', (text) => {
  expect(describeInvalidNetwork(text)).toBeDefined()
})
