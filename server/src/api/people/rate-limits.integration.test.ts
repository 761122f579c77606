/** Rate limits of public routes by network. `sign-in-guard.integration.test.ts` has those of wrong passwords. */
import { afterAll, expect, inject, test } from 'vitest'
import { startTestApi } from '../../../../testing/harness/test-api.ts'

const api = await startTestApi(inject('services'), 'api limits', { COLOPHON_TRUSTED_PROXIES: '127.0.0.1/32' })
afterAll(() => api.drop())
const origin = api.url.replace('127.0.0.1', 'localhost')

const post = async (path: string, body: unknown, from: string) => {
  const headers = { origin, 'content-type': 'application/json', 'x-forwarded-for': from }
  const response = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.status
}
const isLimited = (status: number) => status === 429
const repeat = <Result>(count: number, send: () => Promise<Result>) => Promise.all(Array.from({ length: count }, send))

const token = 'x'.repeat(43)
const password = 'correct horse battery staple'
test.each([
  ['/v2/invitations/accept', { token, name: 'A Writer', password }],
  ['/v2/invitations/lookup', { token }],
  ['/v2/setup/owner', { token, name: 'An Owner', email: 'owner@example.com', password }],
  ['/v2/password-reset', { token, newPassword: password }],
  ['/v2/session/provider', { purpose: 'sign_in', returnTo: '/' }],
])('%s allows 30 attempts per minute from one network', async (path, body) => {
  const attempts = await repeat(32, () => post(path, body, '203.0.113.1'))
  expect(attempts.filter(isLimited)).toHaveLength(2)
  expect(await post(path, body, '203.0.113.2')).toBe(404)
})

test('counts all addresses of an IPv6 /64 network together', async () => {
  const attempts = await Promise.all(
    Array.from({ length: 32 }, (_, index) =>
      post('/v2/invitations/lookup', { token }, `2001:db8::${(index + 1).toString(16)}`),
    ),
  )
  expect(attempts.filter(isLimited)).toHaveLength(2)
  expect(await post('/v2/invitations/lookup', { token }, '2001:db8:0:1::1')).toBe(404)
})
