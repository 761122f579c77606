/** How often strangers may try, by whom and from where. */
import { afterAll, expect, inject, test } from 'vitest'
import { startRunningApi } from '../../../../dev-services/running-api.ts'

const api = await startRunningApi(inject('services'), 'api limits', { COLOPHON_TRUSTED_PROXIES: '127.0.0.1/32' })
afterAll(() => api.drop())
const origin = api.url.replace('127.0.0.1', 'localhost')

const post = async (path: string, body: unknown, from: string) => {
  const headers = { origin, 'content-type': 'application/json', 'x-forwarded-for': from }
  const response = await fetch(api.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return response.status
}
const isLimited = (status: number) => status === 429
const times = <Result>(count: number, act: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))
const signIn = (email: string, from: string) => post('/v2/session', { email, password: 'a guess' }, from)

test('a guesser does not keep out whoever signs in from elsewhere', async () => {
  const guesses = await times(12, () => signIn('victim@example.com', '192.0.2.1'))
  expect(guesses.filter(isLimited)).toHaveLength(2)
  expect(await signIn('Victim@example.com', '192.0.2.2')).toBe(401)
})

test('but many machines are stopped too', { timeout: 60_000 }, async () => {
  const guesses = await times(102, (index) => signIn('sought@example.com', `198.51.100.${index}`))
  expect(guesses.filter(isLimited)).toHaveLength(2)
})

test('all addresses of an IPv6 network are one place', { timeout: 60_000 }, async () => {
  const guesses = await times(62, (index) => signIn(`${index}@example.com`, `2001:db8::${(index + 1).toString(16)}`))
  expect(guesses.filter(isLimited)).toHaveLength(2)
  expect(await signIn('one@example.com', '2001:db8:0:1::1')).toBe(401)
})

const token = 'x'.repeat(43)
const password = 'correct horse battery staple'
test.each([
  ['/v2/invitations/accept', { token, name: 'A Writer', password }],
  ['/v2/invitations/lookup', { token }],
  ['/v2/setup/owner', { token, name: 'An Owner', email: 'owner@example.com', password }],
  ['/v2/password-reset', { token, newPassword: password }],
  ['/v2/session/provider', { purpose: 'sign_in', returnTo: '/' }],
])('%s is tried 30 times a minute from one place', async (path, body) => {
  const tries = await times(32, () => post(path, body, '203.0.113.1'))
  expect(tries.filter(isLimited)).toHaveLength(2)
  expect(await post(path, body, '203.0.113.2')).toBe(404)
})
