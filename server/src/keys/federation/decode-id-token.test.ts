import { expect, test } from 'vitest'
import { decodeIdToken, maxIdTokenCharacters } from './decode-id-token.ts'

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

const header = { alg: 'RS256', kid: 'a', typ: 'JWT' }
const payload = { iss: 'https://issuer.example.com', aud: 'https://colophon.example.com', sub: 'x' }
const token = (parts: { header?: unknown; payload?: unknown } = {}) =>
  `${encode(parts.header ?? header)}.${encode(parts.payload ?? payload)}.${encode('signature')}`

test('reads the issuer, the audience and the key of a token', () => {
  const expected = { issuer: payload.iss, audience: payload.aud, keyId: 'a' }
  expect(decodeIdToken(token())).toMatchObject(expected)
  expect(decodeIdToken(token({ payload: { ...payload, aud: [payload.aud] } }))).toMatchObject(expected)
  expect(decodeIdToken(token({ payload: { ...payload, nested: [{ a: 1 }, { a: 2 }] } }))).toMatchObject(expected)
})

test('gives the same hash to a token whose signature is written differently', () => {
  const [first, second] = token().split('.')
  expect(decodeIdToken(`${first}.${second}.AAAA`).hash).toEqual(decodeIdToken(`${first}.${second}.BBBB`).hash)
})

test.each<[string, string]>([
  ['nothing', ''],
  ['two parts', 'a.b'],
  ['an unsecured token', `${encode({ alg: 'none' })}.${encode(payload)}.`],
  ['five parts', 'a.b.c.d.e'],
  ['trailing data', `${token()}.x`],
  ['a trailing line break', `${token()}\n`],
  ['padding', `${token()}=`],
  ['a token that is too long', token({ payload: { ...payload, more: 'x'.repeat(maxIdTokenCharacters) } })],
  ['base64url that is not canonical', token().replace('.', 'B.')],
  ['a header that is not JSON', token({ header: '{' })],
  ['a header that is a list', token({ header: [] })],
  ['a payload with trailing data', token({ payload: `${JSON.stringify(payload)}{}` })],
  ['a payload with two issuers', token({ payload: '{"iss":"a","aud":"b","iss":"c"}' })],
  ['an escaped second issuer', token({ payload: '{"iss":"a","aud":"b","\\u0069ss":"c"}' })],
  ['a header with two algorithms', token({ header: '{"alg":"RS256","kid":"a","alg":"RS256"}' })],
  ['no algorithm', token({ header: { kid: 'a' } })],
  ['alg none', token({ header: { ...header, alg: 'none' } })],
  ['alg HS256', token({ header: { ...header, alg: 'HS256' } })],
  ['an algorithm that is not a text', token({ header: { ...header, alg: ['RS256'] } })],
  ['no kid', token({ header: { alg: 'RS256' } })],
  ['a kid that is not a text', token({ header: { ...header, kid: 1 } })],
  ['another type', token({ header: { ...header, typ: 'at+jwt' } })],
  ['jku', token({ header: { ...header, jku: 'https://attacker.example.com/jwks' } })],
  ['jwk', token({ header: { ...header, jwk: {} } })],
  ['x5u', token({ header: { ...header, x5u: 'https://attacker.example.com/' } })],
  ['x5c', token({ header: { ...header, x5c: [] } })],
  ['crit', token({ header: { ...header, crit: ['exp'] } })],
  ['no issuer', token({ payload: { aud: 'a' } })],
  ['no audience', token({ payload: { iss: 'a' } })],
  ['several audiences', token({ payload: { ...payload, aud: [payload.aud, 'https://other.example.com'] } })],
])('rejects %s', (_name, text) => {
  expect(() => decodeIdToken(text)).toThrow(/the ID token is rejected: (malformed|algorithm_not_allowed)/)
})
