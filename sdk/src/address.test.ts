import { expect, test } from 'vitest'
import { addressOf } from './address.ts'

const base = new URL('https://example.com/colophon/')
const url = '/v2/projects/{projectId}/keys/{keyId}'

test('an address stands below the base URL, with its parameters encoded', () => {
  const path = { projectId: 'prj_1', keyId: 'a/b?c#d e%2e' }
  expect(addressOf(base, { url, path }).href).toBe(
    'https://example.com/colophon/v2/projects/prj_1/keys/a%2Fb%3Fc%23d%20e%252e',
  )
})

test('a query holds what is given', () => {
  const query = { limit: 0, cursor: 'a b&c', all: false, before: undefined }
  expect(addressOf(base, { url: '/v2/me', query }).search).toBe('?limit=0&cursor=a+b%26c&all=false')
  expect(addressOf(base, { url: '/v2/me', query: {} }).href).toBe('https://example.com/colophon/v2/me')
})

test.each(['', '.', '..'])('%j is no id: it would lead to another address', (keyId) => {
  expect(() => addressOf(base, { url, path: { projectId: 'prj_1', keyId } })).toThrow(
    `keyId must be an id, not "${keyId}".`,
  )
})

test('a parameter that a caller without types left out is named', () => {
  expect(() => addressOf(base, { url, path: { projectId: 'prj_1' } })).toThrow('keyId must be an id, not undefined.')
})
