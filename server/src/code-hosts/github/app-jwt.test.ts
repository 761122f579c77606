import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { createAppJwt } from './app-jwt.ts'

it('is signed with the key of the App, and valid from one minute ago for ten minutes', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' }, // the format of the keys that GitHub generates
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  const jwt = createAppJwt({ appId: 12, privateKeyPem: privateKey }, Date.parse('2026-01-02T03:04:05Z'))
  const [header = '', claims = '', signature = ''] = jwt.split('.')
  const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect(decode(header)).toEqual({ alg: 'RS256', typ: 'JWT' })
  expect(decode(claims)).toEqual({ iat: 1_767_322_985, exp: 1_767_323_585, iss: '12' })
  const signed = Buffer.from(`${header}.${claims}`)
  expect(verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
})
